import { sql, type Transaction } from 'kysely'
import type { Database } from '../engine/schema.ts'

/** Whether translated entries of a route make summaries of conversations. */
export async function addRouteCompaction(db: Transaction<Database>): Promise<void> {
  await sql`alter table routes add column compaction text`.execute(db)
}
