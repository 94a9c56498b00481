import { sql, type Transaction } from 'kysely'
import type { Database } from '../engine/schema.ts'

/** What the prompt caches of providers have saved. */
export async function addCacheSaving(db: Transaction<Database>): Promise<void> {
  const statements = [
    'alter table requests add column prompt_cache_saved_picodollars bigint',
    ...['usage_hours', 'usage_days'].map(
      (table) => `alter table ${table} add column prompt_cache_saved_picodollars bigint not null default 0`,
    ),
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
