import { sql, type Transaction } from 'kysely'
import type { Database } from '../engine/schema.ts'

/** Why a call read little from the provider's prompt cache. */
export async function addCacheMiss(db: Transaction<Database>): Promise<void> {
  await sql`alter table requests add column cache_miss text`.execute(db)
}
