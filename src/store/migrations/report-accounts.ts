import { sql, type Transaction } from 'kysely'
import type { Database } from '../engine/schema.ts'

/** Whose key an account of a provider's report is. */
export async function addReportAccounts(db: Transaction<Database>): Promise<void> {
  await sql
    .raw(
      `create table report_accounts (provider text not null, account text not null, owner text not null,
        primary key (provider, account))`,
    )
    .execute(db)
}
