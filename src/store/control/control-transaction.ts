import type { Kysely, Transaction } from 'kysely'
import { advanceControl } from '../engine/control-version.ts'
import type { Database } from '../engine/schema.ts'

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
    await advanceControl(transaction)
    return change(transaction)
  })
}

/** Grows with every change of control data. */
export async function controlVersion(db: Kysely<Database>): Promise<number> {
  const row = await db.selectFrom('settings').select('value').where('name', '=', 'control').executeTakeFirstOrThrow()
  return Number(row.value)
}
