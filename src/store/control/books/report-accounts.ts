import type { Kysely } from 'kysely'
import type { ReportAccountsTable } from '../../engine/report-tables.ts'
import type { Database } from '../../engine/schema.ts'

export async function listReportAccounts(db: Kysely<Database>): Promise<ReportAccountsTable[]> {
  return db.selectFrom('report_accounts').selectAll().orderBy('provider').orderBy('account').execute()
}

/** Null removes the row. */
export async function putReportAccount(
  db: Kysely<Database>,
  { provider, account, owner }: Omit<ReportAccountsTable, 'owner'> & { owner: string | null },
): Promise<void> {
  await db.deleteFrom('report_accounts').where('provider', '=', provider).where('account', '=', account).execute()
  if (owner !== null) await db.insertInto('report_accounts').values({ provider, account, owner }).execute()
}

export async function hasLinesOf(
  db: Kysely<Database>,
  { provider, account }: { provider: string; account: string },
): Promise<boolean> {
  const found = db.selectFrom('report_lines').select('id').where('provider', '=', provider)
  return (await found.where('account', '=', account).limit(1).executeTakeFirst()) !== undefined
}
