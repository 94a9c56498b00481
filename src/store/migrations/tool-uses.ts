import { sql, type Transaction } from 'kysely'
import type { Database } from '../engine/schema.ts'

/** What a call used beside tokens, and what its provider says it cost. */
export async function addToolUses(db: Transaction<Database>): Promise<void> {
  for (const column of ['uses text', 'stated_picodollars bigint', 'stated_by text']) {
    await sql.raw(`alter table requests add column ${column}`).execute(db)
  }
  // Few rows have it: the search for differences reads only those.
  const index = 'requests_stated on requests (workspace, started_at) where stated_picodollars is not null'
  await sql.raw(`create index ${index}`).execute(db)
}
