import { type Kysely, sql, type Transaction } from 'kysely'
import type { Engine } from '../../store/engine/engine.ts'
import type { Database } from '../../store/engine/schema.ts'
import { DAY_MS, HOUR_MS, readDaysUntil, sumDaysStatement } from './rollup.ts'

/**
 * Brings the daily sums further, by one day at most, up to the last hour but one: most calls of an hour are folded
 * soon after its end. False when there is nothing left to do.
 *
 * A call that is folded later is added to both sums. So that none is missed or counted twice, the fold writes the hour
 * first and then looks how far the days are, and this one begins by waiting for all who write hours: in SQLite there is
 * one writer at a time anyway, PostgreSQL gets a lock of the table.
 */
export async function advanceDays(db: Kysely<Database>, engine: Engine, now: number): Promise<boolean> {
  const end = Math.floor(now / HOUR_MS) * HOUR_MS - HOUR_MS
  if ((await readDaysUntil(db)) >= end) return false
  return db.transaction().execute(async (transaction) => {
    if (engine === 'postgres') await sql`lock table usage_hours in share mode`.execute(transaction)
    const from = await readDaysUntil(transaction)
    if (from >= end) return false
    const workspaces = await workspacesFrom(transaction, from)
    const first = Math.min(end, ...workspaces.map(({ hour }) => hour))
    const until = Math.min(end, first - (first % DAY_MS) + DAY_MS)
    const moved = await transaction
      .updateTable('settings')
      .set({ value: String(until) })
      .where('name', '=', 'usage_days_until')
      .where('value', '=', String(from))
      .executeTakeFirst()
    // Another node was faster.
    if (moved.numUpdatedRows !== 1n) return false
    for (const { workspace } of workspaces) {
      const hours = sql`workspace = ${workspace} and hour >= ${sql.lit(from)} and hour < ${sql.lit(until)}`
      await sumDaysStatement(hours).execute(transaction)
    }
    return until < end
  })
}

/** Each workspace with sums from this hour on, and the first of them: hops along the key instead of reading it all. */
async function workspacesFrom(db: Transaction<Database>, from: number): Promise<{ workspace: string; hour: number }[]> {
  const found: { workspace: string; hour: number }[] = []
  for (let last = ''; ; ) {
    const { workspace } = await db
      .selectFrom('usage_hours')
      .select((select) => select.fn.min<string | null>('workspace').as('workspace'))
      .where('workspace', '>', last)
      .executeTakeFirstOrThrow()
    if (workspace === null) return found
    const { hour } = await db
      .selectFrom('usage_hours')
      .select((select) => select.fn.min<number | null>('hour').as('hour'))
      .where('workspace', '=', workspace)
      .where('hour', '>=', from)
      .executeTakeFirstOrThrow()
    if (hour !== null) found.push({ workspace, hour })
    last = workspace
  }
}
