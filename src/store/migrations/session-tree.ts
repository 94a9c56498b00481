import { sql, type Transaction } from 'kysely'
import type { Database } from '../engine/schema.ts'

/** Where a call belongs in its session. Read along the index by session. */
export async function addSessionTree(db: Transaction<Database>): Promise<void> {
  for (const column of ['agent', 'parent', 'kind', 'project']) {
    await sql.raw(`alter table requests add column ${column} text`).execute(db)
  }
}
