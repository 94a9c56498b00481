import { sql, type Transaction } from 'kysely'
import type { Engine } from './migrations.ts'
import { rollUpStatement } from './rollup.ts'
import type { Database } from './schema.ts'

/**
 * The hourly sums, and those of the requests that are there already. The statement is the fold's own of today: whoever
 * adds a column to the roll-up freezes it here first (every test fails until then).
 */
export async function createUsageTable(db: Transaction<Database>, engine: Engine): Promise<void> {
  const latencies = Array.from({ length: 24 }, (_, bucket) => sql.raw(`latency_${bucket} integer not null`))
  // Kept in the order of its key in SQLite; in PostgreSQL with room on each page, for the newest hour changes all the time.
  const storage = sql.raw(engine === 'sqlite' ? 'without rowid' : 'with (fillfactor = 70)')
  await sql`create table usage_hours (
    workspace text not null, hour bigint not null, key_id text not null, route text not null, provider text not null,
    model text not null, code text not null, requests bigint not null, errors bigint not null,
    fallbacks bigint not null, unpriced bigint not null, prompt_tokens bigint not null,
    completion_tokens bigint not null, cached_tokens bigint not null, cache_write_tokens bigint not null,
    reasoning_tokens bigint not null, cost_picodollars bigint not null, upstream_ms bigint not null,
    gateway_microseconds bigint not null, ${sql.join(latencies)},
    primary key (workspace, hour, key_id, route, provider, model, code)) ${storage}`.execute(db)
  await rollUpStatement(sql`state = 'closed'`).execute(db)
}
