import { sql, type Transaction } from 'kysely'
import { GATEWAY_BOUNDS_MICROSECONDS } from '../../request-log/usage/latency.ts'
import { bucketCounts, DIMENSIONS, rollUpStatement } from '../../request-log/usage/rollup.ts'
import type { Database } from '../engine/schema.ts'
import type { Engine } from './migrations.ts'

const LATENCIES = Array.from({ length: 24 }, (_, bucket) => `latency_${bucket}`)

/** The figures of this migration's time, whatever the roll-up has learnt since. */
const FIRST_FIGURES = [
  ...['requests', 'errors', 'fallbacks', 'unpriced', 'prompt_tokens', 'completion_tokens', 'cached_tokens'],
  ...['cache_write_tokens', 'reasoning_tokens', 'cost_picodollars', 'upstream_ms', 'gateway_microseconds'],
  ...LATENCIES,
]

/** The hourly sums, and those of the requests that are there already. */
export async function createUsageTable(db: Transaction<Database>, engine: Engine): Promise<void> {
  const latencies = LATENCIES.map((column) => sql.raw(`${column} integer not null`))
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
  await rollUpStatement(sql`state = 'closed'`, { figures: FIRST_FIGURES }).execute(db)
}

/**
 * How long calls stayed in the gateway, by bucket, with those of the requests that are there already; where retention
 * has taken them, the percentiles know only the rest. A default, because nodes of the version before write on meanwhile.
 */
export async function addGatewayBuckets(db: Transaction<Database>): Promise<void> {
  const counts = Object.entries(bucketCounts('gateway', 'gateway_microseconds', GATEWAY_BOUNDS_MICROSECONDS))
  for (const [column] of counts) {
    await sql`alter table usage_hours add column ${sql.ref(column)} integer not null default 0`.execute(db)
  }
  const places = Object.entries(DIMENSIONS)
  const found = sql.join([
    ...places.map(([name, dimension]) => sql`${dimension} as ${sql.ref(name)}`),
    ...counts.map(([name, count]) => sql`sum(${count}) as ${sql.ref(name)}`),
  ])
  const same = places.map(([name]) => sql`${sql.ref(`usage_hours.${name}`)} = ${sql.ref(`found.${name}`)}`)
  await sql`update usage_hours
    set ${sql.join(counts.map(([name]) => sql`${sql.ref(name)} = ${sql.ref(`found.${name}`)}`))}
    from (
      select ${found} from requests where state = 'closed'
      group by ${sql.join(places.map((_, index) => sql.lit(index + 1)))}
    ) as found
    where ${sql.join(same, sql` and `)}`.execute(db)
}

/**
 * The same sums by the day, for questions about weeks and months; the ledger's worker fills them. With money beside the
 * key in an index of their own: a page of keys shows what each has spent.
 */
export async function createUsageDays(db: Transaction<Database>, engine: Engine): Promise<void> {
  const counts = ['requests', 'errors', 'fallbacks', 'unpriced']
  const amounts = FIRST_FIGURES.filter((name) => !counts.includes(name) && !LATENCIES.includes(name))
  const gateway = Array.from({ length: 23 }, (_, bucket) => `gateway_${bucket}`)
  const columns = [...counts, ...amounts, ...LATENCIES, ...gateway].map((name) => sql.raw(`${name} bigint not null`))
  await sql`create table usage_days (
    workspace text not null, day bigint not null, key_id text not null, route text not null, provider text not null,
    model text not null, code text not null, ${sql.join(columns)},
    primary key (workspace, day, key_id, route, provider, model, code))
    ${sql.raw(engine === 'sqlite' ? 'without rowid' : '')}`.execute(db)
  await sql`create index usage_days_key on usage_days (key_id, day, cost_picodollars)`.execute(db)
  await sql`insert into settings (name, value) values ('usage_days_until', '0')`.execute(db)
}
