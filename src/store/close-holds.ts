import { type Kysely, sql } from 'kysely'
import { INTERRUPTED } from '../domain/errors.ts'
import { asPicodollars, type Picodollars } from '../domain/price.ts'
import { callIdentity, ensurePartitions } from './partitions.ts'
import { type FullRow, openRow, REQUEST_COLUMNS, rowValues } from './request-row.ts'
import type { Database } from './schema.ts'
import { createUsageAdditions } from './usage-additions.ts'

/** What the shared counters know of a call that a dead node held. */
export interface DeadHold {
  id: string
  node: string
  workspace: string
  keyId: string
  /** The very moment that its records have, in Unix milliseconds. */
  startedAt: number
  holdPicodollars: Picodollars | null
  holdTokens: number | null
}

const STEP_CALLS = 500

/**
 * Closes calls whose node is gone as interrupted: those that the log has as running, and those it has not heard of yet.
 * What has ended stays as it is. True ends that arrive later replace the row; see fold.ts.
 */
export async function closeHolds(db: Kysely<Database>, holds: readonly DeadHold[], now: number): Promise<void> {
  if (holds.length === 0) return
  await ensurePartitions(
    db,
    holds.map(({ startedAt }) => startedAt),
  )
  const additions = createUsageAdditions()
  for (const hold of holds) {
    // One by one: whoever has a row of the log and wants another could wait in a circle with a fold of the same calls.
    await db.transaction().execute(async (transaction) => {
      await additions.add(transaction, await writeInterrupted(transaction, hold, now))
    })
  }
}

async function writeInterrupted(db: Kysely<Database>, hold: DeadHold, now: number): Promise<FullRow[]> {
  const columns = sql.join(REQUEST_COLUMNS.map((column) => sql.ref(column)))
  const values = sql.join(rowValues(interruptedRow(hold, now)))
  const end = ['state', 'status', 'code', 'finished_at'].map(
    (name) => sql`${sql.ref(name)} = excluded.${sql.ref(name)}`,
  )
  const written = await sql<FullRow>`insert into requests (${columns}) values (${values})
    on conflict (${callIdentity(db)}) do update set ${sql.join(end)} where requests.state = 'open'
    returning *`.execute(db)
  return written.rows
}

function interruptedRow(hold: DeadHold, now: number) {
  const { id, node, workspace, keyId, startedAt, holdPicodollars, holdTokens } = hold
  const unknown = { requestedModel: null, route: null, idempotencyKey: null, bodyHash: null }
  const money = holdPicodollars === null ? null : String(holdPicodollars)
  const open = openRow({ id, workspace, keyId, startedAt, holdPicodollars: money, holdTokens, ...unknown }, node)
  return { ...open, state: 'closed' as const, status: INTERRUPTED.status, code: INTERRUPTED.code, finished_at: now }
}

export interface CallEnd {
  costPicodollars: Picodollars
  /** Of the prompt and of the completion. */
  tokens: number
}

/** How calls ended; 'open' for those that run as far as the log knows, nothing for those it has not heard of. */
export async function readEnds(
  db: Kysely<Database>,
  calls: readonly { id: string; startedAt: number }[],
): Promise<Map<string, CallEnd | 'open'>> {
  const ends = new Map<string, CallEnd | 'open'>()
  for (let start = 0; start < calls.length; start += STEP_CALLS) {
    const some = calls.slice(start, start + STEP_CALLS)
    const times = some.map(({ startedAt }) => startedAt)
    const ids = some.map(({ id }) => id)
    const rows = await db
      .selectFrom('requests')
      .select(['id', 'state', 'cost_picodollars', 'prompt_tokens', 'completion_tokens'])
      .where('id', 'in', ids)
      .where('started_at', '>=', Math.min(...times))
      .where('started_at', '<=', Math.max(...times))
      .execute()
    for (const row of rows) {
      const costPicodollars = asPicodollars(BigInt(row.cost_picodollars ?? 0))
      const tokens = (row.prompt_tokens ?? 0) + (row.completion_tokens ?? 0)
      ends.set(row.id, row.state === 'open' ? 'open' : { costPicodollars, tokens })
    }
  }
  return ends
}
