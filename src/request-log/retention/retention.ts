import { type Kysely, sql } from 'kysely'
import type { Database } from '../../store/engine/schema.ts'
import { expireFeed } from '../feed/read-feed.ts'
import { dropExpired } from './drop-expired.ts'
import { noteKeptSince } from './kept-since.ts'
import { dayOf, isPartitioned } from './partitions.ts'

const STEP_ROWS = 500

export interface RetentionOptions {
  /** Closed calls that started before this go (Unix milliseconds). */
  before: number
  /** Awaited between steps, so that the fold and readers get their turn. */
  pause(): Promise<void>
  stepRows?: number
}

/** Takes what is too old out of the log: whole days where it is divided into them, else rows. */
export async function deleteExpired(db: Kysely<Database>, options: RetentionOptions): Promise<number> {
  const byDay = isPartitioned(db)
  await noteKeptSince(db, byDay ? dayOf(options.before) : options.before)
  await expireFeed(db, options.before)
  return byDay ? dropExpired(db, options.before, options.pause) : deleteRows(db, options)
}

/** In small steps, workspace by workspace so that every step is a short walk along an index. */
async function deleteRows(db: Kysely<Database>, options: RetentionOptions): Promise<number> {
  let deleted = 0
  for (
    let workspace = await nextWorkspace(db, '');
    workspace !== null;
    workspace = await nextWorkspace(db, workspace)
  ) {
    deleted += await deleteInWorkspace(db, workspace, options)
  }
  return deleted
}

/** Distinct workspaces of the log by hopping along the index; a deleted workspace may still have rows. */
async function nextWorkspace(db: Kysely<Database>, after: string): Promise<string | null> {
  const row = await db
    .selectFrom('requests')
    .select((select) => select.fn.min('workspace').as('workspace'))
    .where('workspace', '>', after)
    .executeTakeFirst()
  return row?.workspace ?? null
}

async function deleteInWorkspace(db: Kysely<Database>, workspace: string, options: RetentionOptions): Promise<number> {
  const stepRows = options.stepRows ?? STEP_ROWS
  let total = 0
  for (;;) {
    const result = await db
      .deleteFrom('requests')
      .where('id', 'in', (select) =>
        select
          .selectFrom('requests')
          .select('id')
          .where('workspace', '=', workspace)
          .where('started_at', '<', options.before)
          .where('state', '=', sql.lit('closed'))
          .orderBy('started_at')
          .limit(stepRows),
      )
      .executeTakeFirst()
    const count = Number(result.numDeletedRows)
    total += count
    if (count < stepRows) return total
    await options.pause()
  }
}
