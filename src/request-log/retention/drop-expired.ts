import { type Kysely, sql } from 'kysely'
import type { Database } from '../../store/engine/schema.ts'
import { DAY_MS } from '../usage/rollup.ts'
import { PARTITIONS_LOCK, partitionDays, partitionOf } from './partitions.ts'

/** Short lock timeout: later queries queue behind ours. */
const LOCK_TIMEOUT_MS = 100

/**
 * Drops the partitions of days that ended before `before` (Unix milliseconds) and have no running call: no row is
 * deleted, so there is nothing to vacuum. Any number of nodes may try; one that finds the log busy leaves it to the
 * next round. Returns how many it dropped.
 */
export async function dropExpired(db: Kysely<Database>, before: number, pause: () => Promise<void>): Promise<number> {
  let dropped = 0
  for (const day of await partitionDays(db)) {
    if (day + DAY_MS > before) break
    if (await hasOpen(db, day)) continue
    const outcome = await dropPartition(db, day)
    if (outcome === 'busy') break
    if (outcome === 'dropped') dropped += 1
    await pause()
  }
  return dropped
}

/** Asked of the whole log: another node may have dropped the day just now. */
async function hasOpen(db: Kysely<Database>, day: number): Promise<boolean> {
  const found = await sql`select 1 from requests where state = 'open'
    and started_at >= ${sql.lit(day)} and started_at < ${sql.lit(day + DAY_MS)} limit 1`.execute(db)
  return found.rows.length > 0
}

async function dropPartition(db: Kysely<Database>, day: number): Promise<'dropped' | 'kept' | 'busy'> {
  try {
    return await db.transaction().execute(async (transaction) => {
      const lock = await sql<{ ours: boolean }>`
        select pg_try_advisory_xact_lock(${PARTITIONS_LOCK}) as ours`.execute(transaction)
      if (lock.rows[0]?.ours !== true) return 'busy'
      if (!(await partitionDays(transaction)).includes(day)) return 'kept'
      await sql`set local lock_timeout = ${sql.lit(LOCK_TIMEOUT_MS)}`.execute(transaction)
      await sql`lock table only requests in access exclusive mode`.execute(transaction)
      if (await hasOpen(transaction, day)) return 'kept'
      await sql`drop table ${sql.table(partitionOf(day))}`.execute(transaction)
      return 'dropped'
    })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === LOCK_NOT_AVAILABLE) return 'busy'
    throw error
  }
}

const LOCK_NOT_AVAILABLE = '55P03'
