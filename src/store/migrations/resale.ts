import { sql, type Transaction } from 'kysely'
import type { Database } from '../engine/schema.ts'

/** What a workspace charges its own customers, and what that comes to. */
export async function addResale(db: Transaction<Database>): Promise<void> {
  const statements = [
    'alter table workspaces add column resale text',
    'alter table workspaces add column resale_managed_by text',
    'alter table requests add column resale_picodollars bigint',
    ...['usage_hours', 'usage_days'].map(
      (table) => `alter table ${table} add column resale_picodollars bigint not null default 0`,
    ),
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
