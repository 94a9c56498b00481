import { type Kysely, PostgresAdapter, sql, type Transaction } from 'kysely'
import type { Database } from '../engine/schema.ts'

/** Channel on which PostgreSQL notifies listening nodes of a committed change, with its version. */
export const CONTROL_CHANNEL = 'switchyard_control'

/**
 * One change of control data at a time, across all nodes: each begins by incrementing the same row, whose lock the
 * others wait for. Within such a transaction "look, then write" is safe on both engines, and the counter shows every
 * node that its snapshot is old.
 */
export async function changeControlData<T>(
  db: Kysely<Database>,
  change: (transaction: Transaction<Database>) => Promise<T>,
): Promise<T> {
  if (db.isTransaction) return change(db as Transaction<Database>)
  return db.transaction().execute(async (transaction) => {
    const { value } = await transaction
      .updateTable('settings')
      .set({ value: sql<string>`cast(cast(value as bigint) + 1 as text)` })
      .where('name', '=', 'control')
      .returning('value')
      .executeTakeFirstOrThrow()
    if (db.getExecutor().adapter instanceof PostgresAdapter) {
      await sql`select pg_notify(${CONTROL_CHANNEL}, ${value})`.execute(transaction)
    }
    return change(transaction)
  })
}

/** Grows with every change of control data. */
export async function controlVersion(db: Kysely<Database>): Promise<number> {
  const row = await db.selectFrom('settings').select('value').where('name', '=', 'control').executeTakeFirstOrThrow()
  return Number(row.value)
}
