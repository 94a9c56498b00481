import { CompiledQuery, type Kysely, type RawBuilder, sql } from 'kysely'
import { GATEWAY_BOUNDS_MICROSECONDS, LATENCY_BOUNDS_MS } from '../domain/latency.ts'
import type { Database } from './schema.ts'

export const HOUR_MS = 3_600_000

type Expression = RawBuilder<unknown>

/** What the roll-up is grouped by, as columns of a request. Empty instead of null, because they are its primary key. */
export const DIMENSIONS: Readonly<Record<string, Expression>> = {
  workspace: sql`workspace`,
  hour: sql`started_at - started_at % ${sql.lit(HOUR_MS)}`,
  key_id: sql`key_id`,
  route: sql`coalesce(route, '')`,
  provider: sql`coalesce(provider, '')`,
  model: sql`coalesce(model, '')`,
  code: sql`coalesce(code, '')`,
}

/** Plain counts: what one request adds. */
export const COUNTS: Readonly<Record<string, Expression>> = {
  requests: sql`1`,
  errors: sql`case when code is null then 0 else 1 end`,
  fallbacks: sql`fallback`,
  unpriced: sql`case when prompt_tokens is not null and cost_picodollars is null then 1 else 0 end`,
  ...bucketCounts('latency', 'upstream_ms', LATENCY_BOUNDS_MS),
  ...bucketCounts('gateway', 'gateway_microseconds', GATEWAY_BOUNDS_MICROSECONDS),
}

/** Sums that a mad provider could drive beyond 64 bits, which would stop the log: they stay at `CAP` instead. */
export const AMOUNTS: Readonly<Record<string, Expression>> = {
  prompt_tokens: sql`coalesce(prompt_tokens, 0)`,
  completion_tokens: sql`coalesce(completion_tokens, 0)`,
  cached_tokens: sql`coalesce(cached_tokens, 0)`,
  cache_write_tokens: sql`coalesce(cache_write_5m_tokens, 0) + coalesce(cache_write_30m_tokens, 0) + coalesce(cache_write_1h_tokens, 0)`,
  reasoning_tokens: sql`coalesce(reasoning_tokens, 0)`,
  cost_picodollars: sql`coalesce(cost_picodollars, 0)`,
  upstream_ms: sql`coalesce(upstream_ms, 0)`,
  gateway_microseconds: sql`gateway_microseconds`,
}

/** Which bucket a request falls into; none where it has no such time. */
export function bucketCounts(name: string, column: string, bounds: readonly number[]): Record<string, Expression> {
  const time = sql.ref(column)
  const counts: Record<string, Expression> = {}
  for (let bucket = 0; bucket <= bounds.length; bucket++) {
    const lower = bounds[bucket - 1]
    const upper = bounds[bucket]
    const above = lower === undefined ? sql`${time} is not null` : sql`${time} >= ${sql.lit(lower)}`
    const below = upper === undefined ? sql`` : sql` and ${time} < ${sql.lit(upper)}`
    counts[`${name}_${bucket}`] = sql`case when ${above}${below} then 1 else 0 end`
  }
  return counts
}

const CAP = 9_000_000_000_000_000_000n
const PART = 1_000_000n
const cap = sql.raw(String(CAP))
const part = sql.raw(String(PART))

/** The sum without an overflow on the way: in parts, because SQLite refuses to add beyond 64 bits. */
function cappedSum(amount: Expression): Expression {
  const high = sql`sum((${amount}) / ${part})`
  return sql`case when ${high} >= ${sql.raw(String(CAP / PART))} then ${cap} else ${high} * ${part} + sum((${amount}) % ${part}) end`
}

export interface RollUpOptions {
  /** -1 takes the requests out again. */
  sign?: 1 | -1
  /** Columns to fill, where not all of today's: a migration knows only those of its time. */
  figures?: readonly string[]
}

/** Inserts sums of the requests that `condition` picks, or adds them to what is there. */
export function rollUpStatement(condition: Expression, options: RollUpOptions = {}): RawBuilder<unknown> {
  const { sign = 1, figures = [...Object.keys(COUNTS), ...Object.keys(AMOUNTS)] } = options
  const factor = sql.lit(sign)
  const sums = figures.map((name) => {
    const [count, amount] = [COUNTS[name], AMOUNTS[name]]
    if (count !== undefined) return sql`sum(${count}) * ${factor}`
    if (amount === undefined) throw new TypeError(`the hourly sums have no ${name}`)
    return sql`(${cappedSum(amount)}) * ${factor}`
  })
  // Always in the order of the key: two nodes that add to the same hours must not wait for each other in a circle.
  const places = sql.join(Object.keys(DIMENSIONS).map((_, index) => sql.lit(index + 1)))
  const added = (name: string) => {
    const [present, more] = [sql.ref(`usage_hours.${name}`), sql.ref(`excluded.${name}`)]
    if (name in COUNTS) return sql`${sql.ref(name)} = ${present} + ${more}`
    return sql`${sql.ref(name)} = case when ${present} > ${cap} - ${more} then ${cap} else ${present} + ${more} end`
  }
  return sql`
    insert into usage_hours (${sql.join([...Object.keys(DIMENSIONS), ...figures].map((name) => sql.ref(name)))})
    select ${sql.join([...Object.values(DIMENSIONS), ...sums])} from requests where ${condition}
    group by ${places} order by ${places}
    on conflict (${sql.join(Object.keys(DIMENSIONS).map((name) => sql.ref(name)))})
    do update set ${sql.join(figures.map(added))}`
}

export interface RollUp {
  /** Adds these closed requests to the sums, or takes them out again. */
  add(db: Kysely<Database>, ids: readonly string[], sign: 1 | -1): Promise<void>
  /** Which of these are in the table as closed, with their code. */
  closedAmong(db: Kysely<Database>, ids: readonly string[]): Promise<{ id: string; code: string | null }[]>
}

/** Few statement sizes, each compiled once; a shorter list is filled up with its first id, which changes nothing. */
const LIST_SIZES = [1, 8, 64, 1024] as const
const LARGEST_LIST = 1024

export function createRollUp(): RollUp {
  const texts = new Map<string, string>()

  async function run<Row>(
    db: Kysely<Database>,
    name: string,
    ids: readonly string[],
    make: (list: Expression) => Expression,
  ): Promise<Row[]> {
    const rows: Row[] = []
    for (let start = 0; start < ids.length; start += LARGEST_LIST) {
      const some = ids.slice(start, start + LARGEST_LIST)
      const size = LIST_SIZES.find((candidate) => candidate >= some.length) ?? LARGEST_LIST
      const key = `${name} ${size}`
      const text = texts.get(key) ?? make(sql.join(Array.from({ length: size }, () => sql`${null}`))).compile(db).sql
      texts.set(key, text)
      const parameters = Array.from({ length: size }, (_, index) => some[index] ?? some[0])
      rows.push(...(await db.executeQuery<Row>(CompiledQuery.raw(text, parameters))).rows)
    }
    return rows
  }

  return {
    async add(db, ids, sign) {
      await run(db, `add ${sign}`, ids, (list) => rollUpStatement(sql`id in (${list})`, { sign }))
    },
    closedAmong: (db, ids) =>
      run(db, 'closed', ids, (list) => sql`select id, code from requests where id in (${list}) and state = 'closed'`),
  }
}
