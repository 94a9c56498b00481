import { PostgresAdapter, sql, type Transaction } from 'kysely'
import type { Database } from './schema.ts'

/** Channel on which PostgreSQL notifies listening nodes of a committed change, with its version. */
export const CONTROL_CHANNEL = 'switchyard_control'

/**
 * Every change of control data begins with it: it increments one row, whose lock the others wait for, and which shows every
 * node that its snapshot is old.
 */
export async function advanceControl(transaction: Transaction<Database>): Promise<void> {
  const { value } = await transaction
    .updateTable('settings')
    .set({ value: sql<string>`cast(cast(value as bigint) + 1 as text)` })
    .where('name', '=', 'control')
    .returning('value')
    .executeTakeFirstOrThrow()
  if (transaction.getExecutor().adapter instanceof PostgresAdapter) {
    await sql`select pg_notify(${CONTROL_CHANNEL}, ${value})`.execute(transaction)
  }
}
