import type { Kysely } from 'kysely'
import type { MonthClosesTable } from '../../engine/report-tables.ts'
import type { Database } from '../../engine/schema.ts'

/** Without their content, oldest first. */
export async function listMonthCloses(db: Kysely<Database>): Promise<Omit<MonthClosesTable, 'content'>[]> {
  const columns = ['month', 'closed_at', 'closed_by', 'sha256'] as const
  return db.selectFrom('month_closes').select(columns).orderBy('month').execute()
}

export async function findMonthClose(db: Kysely<Database>, month: string): Promise<MonthClosesTable | null> {
  return (await db.selectFrom('month_closes').selectAll().where('month', '=', month).executeTakeFirst()) ?? null
}

/** False: it is closed already. */
export async function addMonthClose(db: Kysely<Database>, close: MonthClosesTable): Promise<boolean> {
  const added = db
    .insertInto('month_closes')
    .values(close)
    .onConflict((conflict) => conflict.doNothing())
  return (await added.executeTakeFirst()).numInsertedOrUpdatedRows === 1n
}

/** Corrections of calls that were made before then, oldest first. */
export async function correctionsBefore(db: Kysely<Database>, before: number) {
  return db.selectFrom('corrections').selectAll().where('charged_at', '<', before).orderBy('id').execute()
}
