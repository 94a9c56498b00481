import { sql, type Transaction } from 'kysely'
import type { Database } from '../engine/schema.ts'

/** Which calls were closed, in the order in which the log got them. */
export async function addFeed(db: Transaction<Database>): Promise<void> {
  await sql`create table feed (
    position bigint primary key,
    first_start bigint not null,
    last_start bigint not null,
    ids text not null
  )`.execute(db)
}
