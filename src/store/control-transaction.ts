import type { Kysely, Transaction } from 'kysely'
import type { Database } from './schema.ts'

/**
 * One change of control data at a time, whatever the number of nodes: each begins by touching the same row, whose lock
 * the others wait for. Within such a transaction "look, then write" is safe on both engines.
 */
export async function changeControlData<T>(
  db: Kysely<Database>,
  change: (transaction: Transaction<Database>) => Promise<T>,
): Promise<T> {
  if (db.isTransaction) return change(db as Transaction<Database>)
  return db.transaction().execute(async (transaction) => {
    await transaction
      .updateTable('settings')
      .set((row) => ({ value: row.ref('value') }))
      .where('name', '=', 'control')
      .execute()
    return change(transaction)
  })
}
