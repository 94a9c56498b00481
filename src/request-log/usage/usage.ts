import { type Kysely, type RawBuilder, sql } from 'kysely'
import {
  type DimensionColumn,
  USAGE_DIMENSIONS,
  type UsageDimension,
  type UsageGroup,
} from '../../domain/log/usage-dimensions.ts'
import type { ExactInteger } from '../../store/engine/exact-integer.ts'
import { mapInTurns } from '../../store/engine/in-turns.ts'
import type { Database } from '../../store/engine/schema.ts'
import { dayOf, isPartitioned } from '../retention/partitions.ts'
import { GATEWAY_BUCKETS, LATENCY_BUCKETS } from './latency.ts'
import { AMOUNTS, COUNTS, columnsOf, DAY_MS, DIMENSIONS, HOUR_MS, readDaysUntil } from './rollup.ts'
import { addUsage, type UsageSums } from './sums.ts'

export type UsageInterval = 'minute' | 'hour' | 'day'

export interface UsageQuery {
  workspace: string
  /** Unix milliseconds: `from` inclusive, `to` exclusive. */
  from: number
  to: number
  /** The moment of asking: an hour that lies partly beyond it has nothing there. */
  now: number
  interval: UsageInterval | null
  groupBy: UsageGroup | null
  filters: Partial<Record<DimensionColumn, string>>
}

export interface UsageRow extends UsageSums {
  /** Beginning of the minute, hour or day (UTC); null without an interval. */
  start: number | null
  /** Values of the group's columns; an empty text where a request has none. */
  group: string[]
}

export interface Usage {
  /**
   * What the sums cover. Where rows are gone already, it is wider than asked for, by whole hours; by the minute it is
   * narrower, for minutes are known from rows alone.
   */
  from: number
  to: number
  /** By start, then by group. */
  rows: UsageRow[]
}

const MINUTE_MS = 60_000
const GROUP_COLUMNS = Object.fromEntries(
  USAGE_DIMENSIONS.map((dimension: UsageDimension) => [dimension.parameter, dimension.group ?? [dimension.column]]),
) as Record<UsageGroup, readonly string[]>

/**
 * Whole days come from the daily sums, whole hours from the hourly ones, an hour that the range cuts from its rows:
 * exact to the millisecond.
 */
export async function readUsage(db: Kysely<Database>, query: UsageQuery): Promise<Usage> {
  if (query.interval === 'minute') return readMinutes(db, query)
  const end = query.to >= query.now ? hourAfter(query.to) : query.to
  let hoursFrom = hourAfter(query.from)
  let hoursTo = hourOf(end)
  let { from, to } = query
  const found: UsageRow[] = []
  for (const cut of cutHours(query.from, end)) {
    if (await hasAllRows(db, query.workspace, hourOf(cut.from))) {
      found.push(...(await sumsOfRows(db, query, cut)))
      continue
    }
    hoursFrom = Math.min(hoursFrom, hourOf(cut.from))
    hoursTo = Math.max(hoursTo, hourAfter(cut.to))
    from = Math.min(from, hoursFrom)
    to = Math.max(to, hoursTo)
  }
  if (hoursFrom < hoursTo) found.push(...(await sumsOfWhole(db, query, { from: hoursFrom, to: hoursTo })))
  return { from, to, rows: merged(found) }
}

/** From the rows alone, and only where all of them are still there: retention takes the oldest first. */
async function readMinutes(db: Kysely<Database>, query: UsageQuery): Promise<Usage> {
  let from = query.from
  for (let hour = hourOf(query.from); hour < query.to; hour += HOUR_MS) {
    if (!(await hasAllRows(db, query.workspace, hour))) from = Math.min(hour + HOUR_MS, query.to)
  }
  const rows = from < query.to ? await sumsOfRows(db, query, { from, to: query.to }) : []
  return { from, to: query.to, rows: merged(rows) }
}

interface Range {
  from: number
  to: number
}

function hourOf(time: number): number {
  return Math.floor(time / HOUR_MS) * HOUR_MS
}

/** The hour's end, or the time itself where an hour begins. */
function hourAfter(time: number): number {
  return Math.ceil(time / HOUR_MS) * HOUR_MS
}

/** The parts of a range that do not fill their hour: none, one or two. */
function cutHours(from: number, to: number): Range[] {
  if (hourAfter(from) > hourOf(to)) return [{ from, to }]
  const cuts = [
    { from, to: hourAfter(from) },
    { from: hourOf(to), to },
  ]
  return cuts.filter((cut) => cut.from < cut.to)
}

/** False once retention has taken rows of this hour: then only its sum as a whole is known. */
async function hasAllRows(db: Kysely<Database>, workspace: string, hour: number): Promise<boolean> {
  // The oldest go first, so this hour has not been touched yet: no need to count it. Days go as a whole.
  const from = isPartitioned(db) ? dayOf(hour) : 0
  const older = await closedRows(db, workspace, { from, to: hour }).select('id').limit(1).executeTakeFirst()
  if (older !== undefined) return true
  const summed = await db
    .selectFrom('usage_hours')
    .select((select) => select.fn.sum<number | null>('requests').as('requests'))
    .where('workspace', '=', workspace)
    .where('hour', '=', hour)
    .executeTakeFirst()
  const present = await closedRows(db, workspace, { from: hour, to: hour + HOUR_MS })
    .select((select) => select.fn.countAll<number>().as('requests'))
    .executeTakeFirst()
  return (present?.requests ?? 0) >= (summed?.requests ?? 0)
}

function closedRows(db: Kysely<Database>, workspace: string, range: Range) {
  return db
    .selectFrom('requests')
    .where('workspace', '=', workspace)
    .where('started_at', '>=', range.from)
    .where('started_at', '<', range.to)
    .where('state', '=', 'closed')
}

type Sums = Record<string, ExactInteger | string>
type Expressions = Readonly<Record<string, RawBuilder<unknown>>>

async function sumsOfRows(db: Kysely<Database>, query: UsageQuery, range: Range): Promise<UsageRow[]> {
  let rows = closedRows(db, query.workspace, range)
  for (const [column, value] of Object.entries(query.filters)) {
    rows = rows.where(sql<boolean>`${DIMENSIONS[column]} = ${value}`)
  }
  const columns = grouped(query, DIMENSIONS)
  const sums = await rows
    .select([...aliased(columns), ...summed(COUNTS, AMOUNTS)])
    .groupBy(places(columns))
    .execute()
  return mapInTurns(sums, (row) => usageRow(row as Sums, query))
}

/** Of whole hours: by the day as far as that goes, which is a tenth of the reading or less. */
async function sumsOfWhole(db: Kysely<Database>, query: UsageQuery, { from, to }: Range): Promise<UsageRow[]> {
  const daysFrom = Math.ceil(from / DAY_MS) * DAY_MS
  const until = query.interval === 'hour' ? 0 : Math.min(to, await readDaysUntil(db))
  const daysTo = until - (until % DAY_MS)
  if (daysFrom >= daysTo) return sumsOf(db, query, { table: 'usage_hours', time: 'hour', from, to })
  return [
    ...(await sumsOf(db, query, { table: 'usage_hours', time: 'hour', from, to: daysFrom })),
    ...(await sumsOf(db, query, { table: 'usage_days', time: 'day', from: daysFrom, to: daysTo })),
    ...(await sumsOf(db, query, { table: 'usage_hours', time: 'hour', from: daysTo, to })),
  ]
}

type SumsRange = Range & ({ table: 'usage_hours'; time: 'hour' } | { table: 'usage_days'; time: 'day' })

async function sumsOf(db: Kysely<Database>, query: UsageQuery, range: SumsRange): Promise<UsageRow[]> {
  const { table, time, from, to } = range
  if (from >= to) return []
  // Both tables have the same columns, but for the one that holds the time.
  let found = db
    .selectFrom(table as 'usage_hours')
    .where('workspace', '=', query.workspace)
    .where(sql<boolean>`${sql.ref(time)} >= ${from} and ${sql.ref(time)} < ${to}`)
  for (const [column, value] of Object.entries(query.filters)) {
    found = found.where(sql<boolean>`${sql.ref(column)} = ${value}`)
  }
  const columns = grouped(query, { ...columnsOf(DIMENSIONS), hour: sql.ref(time) })
  const sums = await found
    .select([...aliased(columns), ...summed(columnsOf(COUNTS), columnsOf(AMOUNTS))])
    .groupBy(places(columns))
    .execute()
  return mapInTurns(sums, (row) => usageRow(row as Sums, query))
}

/** What a row of the answer stands for. Always at least one column, so that there is something to group by. */
function grouped({ interval, groupBy }: UsageQuery, dimensions: Expressions): Expressions {
  const hour = dimensions['hour']
  const start = {
    minute: sql`started_at - started_at % ${sql.lit(MINUTE_MS)}`,
    hour,
    day: sql`(${hour}) - (${hour}) % ${sql.lit(DAY_MS)}`,
    none: dimensions['workspace'],
  }
  const columns: Record<string, RawBuilder<unknown> | undefined> = { start: start[interval ?? 'none'] }
  for (const column of groupBy === null ? [] : GROUP_COLUMNS[groupBy]) columns[column] = dimensions[column]
  return columns as Expressions
}

function aliased(columns: Expressions) {
  return Object.entries(columns).map(([name, expression]) => expression.as(name))
}

function places(columns: Expressions) {
  return sql`${sql.join(Object.keys(columns).map((_, index) => sql.lit(index + 1)))}`
}

/** Amounts in two parts, because SQLite refuses to add beyond 64 bits. */
const PART = 1_000_000_000n
const part = sql.raw(String(PART))

function summed(counts: Expressions, amounts: Expressions) {
  return [
    ...Object.entries(counts).map(([name, count]) => sql`sum(${count})`.as(name)),
    ...Object.entries(amounts).flatMap(([name, amount]) => [
      sql`sum((${amount}) / ${part})`.as(`${name}_high`),
      sql`sum((${amount}) % ${part})`.as(`${name}_low`),
    ]),
  ]
}

/** Written out once: there are dozens of them in each of thousands of rows. */
const LATENCY_NAMES = Array.from({ length: LATENCY_BUCKETS }, (_, bucket) => `latency_${bucket}`)
const GATEWAY_NAMES = Array.from({ length: GATEWAY_BUCKETS }, (_, bucket) => `gateway_${bucket}`)

function usageRow(row: Sums, { interval, groupBy }: UsageQuery): UsageRow {
  const amount = (name: string) => BigInt(row[`${name}_high`] ?? 0) * PART + BigInt(row[`${name}_low`] ?? 0)
  return {
    start: interval === null ? null : Number(row['start']),
    group: groupBy === null ? [] : GROUP_COLUMNS[groupBy].map((column) => String(row[column])),
    requests: Number(row['requests']),
    errors: Number(row['errors']),
    fallbacks: Number(row['fallbacks']),
    unpriced: Number(row['unpriced']),
    promptTokens: amount('prompt_tokens'),
    completionTokens: amount('completion_tokens'),
    cachedTokens: amount('cached_tokens'),
    cacheWriteTokens: amount('cache_write_tokens'),
    reasoningTokens: amount('reasoning_tokens'),
    costPicodollars: amount('cost_picodollars'),
    upstreamMs: amount('upstream_ms'),
    gatewayMicroseconds: amount('gateway_microseconds'),
    latencies: LATENCY_NAMES.map((name) => Number(row[name])),
    gatewayTimes: GATEWAY_NAMES.map((name) => Number(row[name])),
  }
}

/** Rows of the same start and group are one; a request that was counted and taken back leaves none. */
function merged(rows: readonly UsageRow[]): UsageRow[] {
  const byPlace = new Map<string, UsageRow>()
  for (const row of rows) {
    const place = JSON.stringify([row.start, ...row.group])
    const present = byPlace.get(place)
    byPlace.set(place, present === undefined ? row : { ...row, ...addUsage(present, row) })
  }
  return [...byPlace.values()].filter((row) => row.requests > 0).sort(byStartAndGroup)
}

function byStartAndGroup(a: UsageRow, b: UsageRow): number {
  if (a.start !== b.start) return (a.start ?? 0) - (b.start ?? 0)
  for (const [index, left] of a.group.entries()) {
    const right = b.group[index] ?? ''
    if (left !== right) return left < right ? -1 : 1
  }
  return 0
}
