import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Database } from '../../store/engine/schema.ts'
import { GATEWAY_BOUNDS_MICROSECONDS, LATENCY_BOUNDS_MS } from './latency.ts'

export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000

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

export const CAP = 9_000_000_000_000_000_000n
const PART = 1_000_000n
const cap = sql.raw(String(CAP))
const part = sql.raw(String(PART))

/** The sum without an overflow on the way: in parts, because SQLite refuses to add beyond 64 bits. */
function cappedSum(amount: Expression): Expression {
  const high = sql`sum((${amount}) / ${part})`
  return sql`case when ${high} >= ${sql.raw(String(CAP / PART))} then ${cap} else ${high} * ${part} + sum((${amount}) % ${part}) end`
}

export interface RollUpOptions {
  /** Columns to fill, where not all of today's: a migration knows only those of its time. */
  figures?: readonly string[]
}

const FIGURES = [...Object.keys(COUNTS), ...Object.keys(AMOUNTS)]

export type UsageTable = 'usage_hours' | 'usage_days'

/** Inserts hourly sums of the requests that `condition` picks, or adds them to what is there. */
export function rollUpStatement(condition: Expression, options: RollUpOptions = {}): Expression {
  const { figures = FIGURES } = options
  const source = { from: 'requests', condition, figures: { ...COUNTS, ...AMOUNTS } } as const
  return addStatement({ into: 'usage_hours', dimensions: DIMENSIONS, names: figures, ...source })
}

/** The same by the day. */
export function rollUpDaysStatement(condition: Expression): Expression {
  const { hour, ...others } = DIMENSIONS
  const dimensions = { day: sql`started_at - started_at % ${sql.lit(DAY_MS)}`, ...others }
  const source = { from: 'requests', condition, figures: { ...COUNTS, ...AMOUNTS } } as const
  return addStatement({ into: 'usage_days', dimensions, names: FIGURES, ...source })
}

/** Daily sums of the hourly ones that `condition` picks. */
export function sumDaysStatement(condition: Expression): Expression {
  const { hour, ...others } = columnsOf(DIMENSIONS)
  const dimensions = { day: sql`hour - hour % ${sql.lit(DAY_MS)}`, ...others }
  const figures = { ...columnsOf(COUNTS), ...columnsOf(AMOUNTS) }
  return addStatement({
    into: 'usage_days',
    dimensions,
    names: FIGURES,
    from: 'usage_hours',
    condition,
    figures,
  })
}

export function columnsOf(expressions: Readonly<Record<string, Expression>>): Record<string, Expression> {
  return Object.fromEntries(Object.keys(expressions).map((name) => [name, sql.ref(name)]))
}

interface Addition {
  into: UsageTable
  dimensions: Readonly<Record<string, Expression>>
  names: readonly string[]
  from: 'requests' | 'usage_hours'
  condition: Expression
  figures: Readonly<Record<string, Expression>>
}

function addStatement({ into, dimensions, names, from, condition, figures }: Addition): Expression {
  const sums = names.map((name) => {
    const figure = figures[name]
    if (figure === undefined) throw new TypeError(`the sums have no ${name}`)
    return name in COUNTS ? sql`sum(${figure})` : cappedSum(figure)
  })
  // Always in the order of the key: two nodes that add to the same hours must not wait for each other in a circle.
  const places = sql.join(Object.keys(dimensions).map((_, index) => sql.lit(index + 1)))
  const source = sql`
    select ${sql.join([...Object.values(dimensions), ...sums])} from ${sql.table(from)} where ${condition}
    group by ${places} order by ${places}`
  return upsert(into, { dimensions: Object.keys(dimensions), figures: names, source })
}

/** Adds sums that are worked out already: as many rows as `size`, each with its dimensions, counts and amounts. */
export function addSumsStatement(into: UsageTable, size: number): Expression {
  const time = into === 'usage_hours' ? 'hour' : 'day'
  const dimensions = Object.keys(DIMENSIONS).map((name) => (name === 'hour' ? time : name))
  // The values only mark the places: parameters are handed over with each run.
  const row = sql`(${sql.join([...dimensions, ...FIGURES].map(() => sql`${null}`))})`
  const source = sql`values ${sql.join(Array.from({ length: size }, () => row))}`
  return upsert(into, { dimensions, figures: FIGURES, source })
}

interface Upsert {
  dimensions: readonly string[]
  figures: readonly string[]
  source: Expression
}

function upsert(into: UsageTable, { dimensions, figures, source }: Upsert): Expression {
  const added = (name: string) => {
    const [present, more] = [sql.ref(`${into}.${name}`), sql.ref(`excluded.${name}`)]
    if (name in COUNTS) return sql`${sql.ref(name)} = ${present} + ${more}`
    return sql`${sql.ref(name)} = case when ${present} > ${cap} - ${more} then ${cap} else ${present} + ${more} end`
  }
  return sql`
    insert into ${sql.table(into)} (${sql.join([...dimensions, ...figures].map((name) => sql.ref(name)))})
    ${source}
    on conflict (${sql.join(dimensions.map((name) => sql.ref(name)))})
    do update set ${sql.join(figures.map(added))}`
}

/** Up to here (Unix milliseconds, an hour's beginning) the hourly sums are in the daily ones too. */
export const DAYS_UNTIL = sql`(select cast(value as bigint) from settings where name = 'usage_days_until')`

export async function readDaysUntil(db: Kysely<Database>): Promise<number> {
  const row = await db.selectFrom('settings').select('value').where('name', '=', 'usage_days_until').executeTakeFirst()
  return Number(row?.value ?? 0)
}
