import { sql, type Transaction } from 'kysely'
import type { Database } from '../engine/schema.ts'

/** Months that people have closed. A row is written once and never changed. */
export async function addMonthCloses(db: Transaction<Database>): Promise<void> {
  await sql
    .raw(
      `create table month_closes (month text primary key, closed_at bigint not null, closed_by text not null,
        sha256 text not null, content text not null)`,
    )
    .execute(db)
}
