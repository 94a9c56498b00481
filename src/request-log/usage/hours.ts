import type { Kysely } from 'kysely'
import type { Database } from '../../store/engine/schema.ts'
import { HOUR_MS } from './rollup.ts'

/** An hour of a workspace in which calls began. */
export interface LogHour {
  workspace: string
  /** Unix milliseconds, its beginning. */
  hour: number
}

/**
 * The next hour with rows or sums in the log, workspace by workspace; null at the end. Sums show where the next one is;
 * rows without a sum are between two of them.
 */
export async function nextLogPlace(
  db: Kysely<Database>,
  after: LogHour | null,
  from: number | null,
  to: number | null = null,
): Promise<LogHour | null> {
  let workspace = after?.workspace ?? (await nextWorkspace(db, null))
  let since = after === null ? from : after.hour + HOUR_MS
  while (workspace !== null) {
    const hour = await nextHour(db, workspace, since ?? 0)
    if (hour !== null && (to === null || hour < to)) return { workspace, hour }
    workspace = await nextWorkspace(db, workspace)
    since = from
  }
  return null
}

async function nextHour(db: Kysely<Database>, workspace: string, since: number): Promise<number | null> {
  const first = hourOf(since)
  const sums = await db
    .selectFrom('usage_hours')
    .select((select) => select.fn.min<number | null>('hour').as('hour'))
    .where('workspace', '=', workspace)
    .where('hour', '>=', first)
    .executeTakeFirst()
  const known = sums?.hour ?? null
  if (known === first) return known
  let rows = db.selectFrom('requests').select('started_at').where('workspace', '=', workspace)
  rows = rows.where('started_at', '>=', first).where('state', '=', 'closed')
  if (known !== null) rows = rows.where('started_at', '<', known)
  const row = await rows.orderBy('started_at').limit(1).executeTakeFirst()
  return row === undefined ? known : hourOf(row.started_at)
}

async function nextWorkspace(db: Kysely<Database>, after: string | null): Promise<string | null> {
  const names: (string | null)[] = []
  for (const table of ['usage_hours', 'requests'] as const) {
    let found = db.selectFrom(table).select((select) => select.fn.min<string | null>('workspace').as('workspace'))
    if (after !== null) found = found.where('workspace', '>', after)
    names.push((await found.executeTakeFirst())?.workspace ?? null)
  }
  const [first = null] = names.filter((name) => name !== null).sort((a, b) => (a < b ? -1 : 1))
  return first
}

function hourOf(time: number): number {
  return Math.max(0, time - (time % HOUR_MS))
}
