import { sql, type Transaction } from 'kysely'
import type { Database } from '../engine/schema.ts'

/** Images in a prompt have a price of their own. */
export async function addImageInput(db: Transaction<Database>): Promise<void> {
  await sql`alter table requests add column image_input_tokens bigint`.execute(db)
}
