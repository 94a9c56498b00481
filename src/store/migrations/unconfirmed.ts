import { sql, type Transaction } from 'kysely'
import type { Database } from '../engine/schema.ts'

const AMOUNTS = [
  'unconfirmed_estimate_picodollars',
  'unconfirmed_most_picodollars',
  'unconfirmed_counted_picodollars',
] as const

/** What providers may bill for attempts whose usage is unknown, and what became of it. */
export async function addUnconfirmed(db: Transaction<Database>): Promise<void> {
  const statements = [
    ...AMOUNTS.map((amount) => `alter table requests add column ${amount} bigint`),
    'alter table requests add column unconfirmed_policy text',
    'alter table requests add column hold_added_picodollars bigint',
    ...['usage_hours', 'usage_days'].flatMap((table) =>
      AMOUNTS.map((amount) => `alter table ${table} add column ${amount} bigint not null default 0`),
    ),
    `create table corrections (
      id text primary key, created_at bigint not null, actor text not null, reason text not null, kind text not null,
      request_id text, workspace text not null, key_id text not null, provider text, model text,
      charged_at bigint not null, picodollars bigint not null, counted_picodollars bigint not null, source text)`,
    'create index corrections_charged on corrections (charged_at)',
    // Few sums have any: budgets show them apart.
    'create index usage_hours_unconfirmed on usage_hours (workspace, key_id, hour) where unconfirmed_counted_picodollars <> 0',
    // A call is confirmed or released once.
    'create unique index corrections_request on corrections (request_id) where request_id is not null',
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
