import { sql, type Transaction } from 'kysely'
import type { Database } from '../engine/schema.ts'

/** What adds to a budget for a while. */
export async function addBudgetRaises(db: Transaction<Database>): Promise<void> {
  await sql
    .raw(
      `create table budget_raises (id text primary key, workspace text not null, key_id text not null, kind text not null,
        of_name text not null, value text not null, usd text not null, until bigint not null, created_at bigint not null,
        actor text not null, reason text not null, ended_at bigint)`,
    )
    .execute(db)
}
