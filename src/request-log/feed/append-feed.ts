import { sql, type Transaction } from 'kysely'
import type { Database } from '../../store/engine/schema.ts'
import { isPartitioned } from '../retention/partitions.ts'

/** Any number except those of migrations and partitions. */
const FEED_LOCK = sql.lit(7_201_944_315)

interface Closed {
  id: string
  started_at: number
}

/**
 * Notes which calls this transaction has closed, as its last statement. On PostgreSQL the lock is held until the commit,
 * so positions become visible in their order and without gaps: who has read up to one has missed nothing before it.
 */
export async function appendToFeed(db: Transaction<Database>, closed: readonly Closed[]): Promise<void> {
  if (closed.length === 0) return
  const starts = closed.map((row) => row.started_at)
  const first = starts.reduce((least, start) => Math.min(least, start))
  const last = starts.reduce((most, start) => Math.max(most, start))
  const ids = closed.map(({ id }) => id).join('\n')
  if (isPartitioned(db)) await sql`select pg_advisory_xact_lock(${FEED_LOCK})`.execute(db)
  await sql`insert into feed (position, first_start, last_start, ids)
    select coalesce(max(position), 0) + 1, cast(${first} as bigint), cast(${last} as bigint), cast(${ids} as text)
    from feed`.execute(db)
}
