import { sql, type Transaction } from 'kysely'
import type { Database } from '../engine/schema.ts'

/** Reports of providers, for reconciliation. Nothing in the request log refers to them. */
export async function addReports(db: Transaction<Database>): Promise<void> {
  for (const statement of [
    `create table report_imports (id text primary key, source text not null, provider text not null, name text not null,
      sha256 text not null, settings text not null, lines bigint not null, starts_at bigint not null, ends_at bigint not null,
      imported_at bigint not null, imported_by text not null)`,
    `create table report_lines (id text primary key, import_id text not null, source text not null, provider text not null,
      starts_at bigint not null, ends_at bigint not null, zone text not null, account text, model text, tier text,
      class text not null, quantity bigint, unit text, amount_picodollars bigint, stated text, currency text,
      requests bigint, tolerance_picodollars bigint not null, ordinal bigint not null)`,
    'create index report_lines_by_time on report_lines (provider, starts_at)',
    'create index report_lines_by_import on report_lines (import_id)',
    `create table report_models (provider text not null, name text not null, model text not null,
      primary key (provider, name))`,
  ]) {
    await sql.raw(statement).execute(db)
  }
}
