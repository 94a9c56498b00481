import { type Kysely, sql } from 'kysely'
import type { Database } from '../../store/engine/schema.ts'
import { dayOf, isPartitioned, partitionDays } from '../retention/partitions.ts'
import { DAY_MS } from '../usage/rollup.ts'

/** Unix milliseconds: from `from` on and before `to`; null is without an end. */
export interface TimeRange {
  from: number | null
  to: number | null
}

/** How many days are asked at once: few at first, for most questions are about the newest. */
const WINDOW_DAYS = [4, 16]
const LARGEST_WINDOW = 32

/**
 * The range in pieces, the newest first, each with few partitions in it: PostgreSQL plans a query over every partition
 * that may matter (60 ms with 400 of them, and thousands of locks), however few are then read. SQLite gets it whole.
 */
export async function* newestFirst(db: Kysely<Database>, range: TimeRange): AsyncGenerator<TimeRange> {
  const { from, to } = range
  const now = Date.now()
  const recent = dayOf(Math.min(to ?? now, now)) - DAY_MS
  if (!isPartitioned(db) || (from !== null && from >= recent)) {
    yield range
    return
  }
  yield { from: recent, to }
  const older = (await partitionDays(db)).filter((day) => day < recent && (from === null || day + DAY_MS > from))
  for (let turn = 0; older.length > 0; turn++) {
    const days = older.splice(-(WINDOW_DAYS[turn] ?? LARGEST_WINDOW))
    const [first = 0, last = 0] = [days[0], days.at(-1)]
    yield { from: Math.max(first, from ?? first), to: last + DAY_MS }
  }
}

/**
 * A time since when all calls began that still run, for a query of them all: PostgreSQL then looks at few partitions,
 * nearly always at the newest alone. With a day to spare, for calls may be folded in between. SQLite has an index.
 */
export async function openSince(db: Kysely<Database>, now: number): Promise<number> {
  if (!isPartitioned(db)) return 0
  let oldest = now
  for await (const { from, to } of newestFirst(db, { from: null, to: null })) {
    // All of them, for they are few: asked for the least, the planner would take twice as long.
    let open = db.selectFrom('requests').select('started_at')
    // A literal, not a parameter: only so is the partial index of open rows used.
    open = open.where('state', '=', sql.lit('open'))
    if (from !== null) open = open.where('started_at', '>=', from)
    if (to !== null) open = open.where('started_at', '<', to)
    for (const row of await open.execute()) oldest = Math.min(oldest, row.started_at)
  }
  return oldest - DAY_MS
}
