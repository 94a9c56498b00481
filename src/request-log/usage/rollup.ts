import { type Kysely, type RawBuilder, sql } from 'kysely'
import { USAGE_DIMENSIONS } from '../../domain/log/usage-dimensions.ts'
import { CACHE_WRITE_CLASSES } from '../../domain/pricing/classes.ts'
import type { ExactInteger } from '../../store/engine/exact-integer.ts'
import type { Database, RequestRow } from '../../store/engine/schema.ts'
import { GATEWAY_BOUNDS_MICROSECONDS, LATENCY_BOUNDS_MS } from './latency.ts'

export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000

type Expression = RawBuilder<unknown>

/** What the roll-up is grouped by, as columns of a request. Empty instead of null, because they are its primary key. */
export const DIMENSIONS: Readonly<Record<string, Expression>> = {
  workspace: sql`workspace`,
  hour: sql`started_at - started_at % ${sql.lit(HOUR_MS)}`,
  ...Object.fromEntries(USAGE_DIMENSIONS.map(({ column }) => [column, sql`coalesce(${sql.ref(column)}, '')`])),
}

/** A plain count: whether a request adds one, of a row in hand and in the database. */
interface Count {
  name: string
  isCounted(row: RequestRow): boolean
  expression: Expression
}

const PLAIN_COUNTS: readonly Count[] = [
  { name: 'requests', isCounted: () => true, expression: sql`1` },
  {
    name: 'errors',
    isCounted: ({ code }) => code !== null,
    expression: sql`case when code is null then 0 else 1 end`,
  },
  { name: 'fallbacks', isCounted: ({ fallback }) => fallback === 1, expression: sql`fallback` },
  {
    name: 'unpriced',
    isCounted: (row) => row.prompt_tokens !== null && row.cost_picodollars === null,
    expression: sql`case when prompt_tokens is not null and cost_picodollars is null then 1 else 0 end`,
  },
  {
    name: 'cache_hits',
    isCounted: ({ cache }) => cache === 'hit',
    expression: sql`case when cache = 'hit' then 1 else 0 end`,
  },
]

/** Counts by duration. */
const BUCKETS = [
  { name: 'latency', column: 'upstream_ms', bounds: LATENCY_BOUNDS_MS },
  { name: 'gateway', column: 'gateway_microseconds', bounds: GATEWAY_BOUNDS_MICROSECONDS },
] as const

/** All counts but those by duration. */
export const PLAIN_COUNT_COLUMNS: Readonly<Record<string, Expression>> = Object.fromEntries(
  PLAIN_COUNTS.map(({ name, expression }) => [name, expression]),
)

export const COUNTS: Readonly<Record<string, Expression>> = {
  ...PLAIN_COUNT_COLUMNS,
  ...Object.assign({}, ...BUCKETS.map(bucketCounts)),
}

/**
 * Sums of the columns beside them. A mad provider could drive them beyond 64 bits, which would stop the log: they stay at
 * `CAP` instead.
 */
const SUMMED_COLUMNS = {
  prompt_tokens: ['prompt_tokens'],
  completion_tokens: ['completion_tokens'],
  cached_tokens: ['cached_tokens'],
  cache_write_tokens: CACHE_WRITE_CLASSES.map(({ column }) => column),
  reasoning_tokens: ['reasoning_tokens'],
  cost_picodollars: ['cost_picodollars'],
  saved_picodollars: ['saved_picodollars'],
  unconfirmed_estimate_picodollars: ['unconfirmed_estimate_picodollars'],
  unconfirmed_most_picodollars: ['unconfirmed_most_picodollars'],
  unconfirmed_counted_picodollars: ['unconfirmed_counted_picodollars'],
  resale_picodollars: ['resale_picodollars'],
  prompt_cache_saved_picodollars: ['prompt_cache_saved_picodollars'],
  upstream_ms: ['upstream_ms'],
  gateway_microseconds: ['gateway_microseconds'],
} as const satisfies Record<string, readonly (keyof RequestRow)[]>

export const AMOUNTS: Readonly<Record<string, Expression>> = Object.fromEntries(
  Object.entries(SUMMED_COLUMNS).map(([name, columns]) => [
    name,
    sql.join(
      columns.map((column) => sql`coalesce(${sql.ref(column)}, 0)`),
      sql` + `,
    ),
  ]),
)

/** Calls `add` with the place of every count that a request raises, in the order of `COUNTS`. */
export function eachCount(row: RequestRow, add: (place: number) => void): void {
  for (const [place, { isCounted }] of PLAIN_COUNTS.entries()) if (isCounted(row)) add(place)
  let first = PLAIN_COUNTS.length
  for (const { column, bounds } of BUCKETS) {
    const value = row[column]
    if (value !== null) add(first + bucketOf(value, bounds))
    first += bounds.length + 1
  }
}

const AMOUNT_COLUMNS = Object.values(SUMMED_COLUMNS)

/** The same of the amounts, in the order of `AMOUNTS`. */
export function eachAmount(row: RequestRow, add: (place: number, amount: ExactInteger) => void): void {
  for (const [place, columns] of AMOUNT_COLUMNS.entries()) {
    for (const column of columns) add(place, row[column] ?? 0)
  }
}

/** The number of the bounds that the value has reached. */
function bucketOf(value: number, bounds: readonly number[]): number {
  let bucket = 0
  for (const bound of bounds) {
    if (value < bound) break
    bucket++
  }
  return bucket
}

/** Which bucket a request falls into; none where it has no such time. */
function bucketCounts({ name, column, bounds }: (typeof BUCKETS)[number]): Record<string, Expression> {
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

const FIGURES = [...Object.keys(COUNTS), ...Object.keys(AMOUNTS)]

export type UsageTable = 'usage_hours' | 'usage_days'

/** Inserts sums of the requests that `condition` picks, or adds them to what is there. */
export function rollUpStatement(condition: Expression, into: UsageTable = 'usage_hours'): Expression {
  const dimensions = into === 'usage_hours' ? DIMENSIONS : byDay(DIMENSIONS, 'started_at')
  return addStatement({ into, dimensions, from: 'requests', condition, figures: { ...COUNTS, ...AMOUNTS } })
}

/** Daily sums of the hourly ones that `condition` picks. */
export function sumDaysStatement(condition: Expression): Expression {
  const dimensions = byDay(columnsOf(DIMENSIONS), 'hour')
  const figures = { ...columnsOf(COUNTS), ...columnsOf(AMOUNTS) }
  return addStatement({ into: 'usage_days', dimensions, from: 'usage_hours', condition, figures })
}

function byDay({ hour, ...others }: Readonly<Record<string, Expression>>, time: string): Record<string, Expression> {
  return { day: sql`${sql.ref(time)} - ${sql.ref(time)} % ${sql.lit(DAY_MS)}`, ...others }
}

export function columnsOf(expressions: Readonly<Record<string, Expression>>): Record<string, Expression> {
  return Object.fromEntries(Object.keys(expressions).map((name) => [name, sql.ref(name)]))
}

interface Addition {
  into: UsageTable
  dimensions: Readonly<Record<string, Expression>>
  from: 'requests' | 'usage_hours'
  condition: Expression
  figures: Readonly<Record<string, Expression>>
}

function addStatement({ into, dimensions, from, condition, figures }: Addition): Expression {
  const sums = Object.entries(figures).map(([name, figure]) =>
    name in COUNTS ? sql`sum(${figure})` : cappedSum(figure),
  )
  // Always in the order of the key: two nodes that add to the same hours must not wait for each other in a circle.
  const places = sql.join(Object.keys(dimensions).map((_, index) => sql.lit(index + 1)))
  const source = sql`
    select ${sql.join([...Object.values(dimensions), ...sums])} from ${sql.table(from)} where ${condition}
    group by ${places} order by ${places}`
  return upsert(into, { dimensions: Object.keys(dimensions), figures: Object.keys(figures), source })
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

/** Adds to the last of these columns, which never goes beyond `CAP`; the others are the key. */
export function addAmountStatement(table: keyof Database, columns: readonly string[], size: number): Expression {
  const refs = columns.map((name) => sql.ref(name))
  const amount = columns.at(-1) ?? ''
  const [present, more] = [sql.ref(`${table}.${amount}`), sql.ref(`excluded.${amount}`)]
  const row = sql`(${sql.join(columns.map(() => sql`${null}`))})`
  return sql`
    insert into ${sql.table(table)} (${sql.join(refs)}) values ${sql.join(Array.from({ length: size }, () => row))}
    on conflict (${sql.join(refs.slice(0, -1))})
    do update set ${sql.ref(amount)} = case when ${present} > ${cap} - ${more} then ${cap} else ${present} + ${more} end`
}

/** Up to here (Unix milliseconds, an hour's beginning) the hourly sums are in the daily ones too. */
export const DAYS_UNTIL = sql`(select cast(value as bigint) from settings where name = 'usage_days_until')`

export async function readDaysUntil(db: Kysely<Database>): Promise<number> {
  const row = await db.selectFrom('settings').select('value').where('name', '=', 'usage_days_until').executeTakeFirst()
  return Number(row?.value ?? 0)
}
