import { sql, type Transaction } from 'kysely'
import type { Database } from '../engine/schema.ts'

/** Alerts, where they go, and the outbox in between. */
export async function keepAlerts(db: Transaction<Database>): Promise<void> {
  const statements = [
    `create table alert_channels (
      id text primary key, name text not null unique, kind text not null, options text not null, secret_encrypted text,
      min_severity text not null, enabled bigint not null, created_at bigint not null, updated_at bigint not null)`,
    `create table alerts (
      id text primary key, identity text not null, rule text not null, severity text not null, subject text not null,
      workspace text, summary text not null, since bigint not null, seen_at bigint not null, hold_ms bigint not null,
      fired_at bigint, resolved_at bigint)`,
    // Two nodes that decide the same write one row.
    'create unique index alerts_open on alerts (identity) where resolved_at is null',
    'create index alerts_identity on alerts (identity)',
    `create table alert_deliveries (
      id text primary key, channel_id text not null references alert_channels (id) on delete cascade,
      events text not null, state text not null, attempts bigint not null, due_at bigint not null, lease text,
      leased_until bigint, last_error text, created_at bigint not null, finished_at bigint)`,
    `create index alert_deliveries_pending on alert_deliveries (due_at) where state = 'pending'`,
    'create index alert_deliveries_channel on alert_deliveries (channel_id, id)',
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
