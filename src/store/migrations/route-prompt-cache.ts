import { sql, type Transaction } from 'kysely'
import type { Database } from '../engine/schema.ts'

/** Whether a route asks providers to cache prompts that mark nothing. */
export async function addRoutePromptCache(db: Transaction<Database>): Promise<void> {
  await sql`alter table routes add column prompt_cache text`.execute(db)
}
