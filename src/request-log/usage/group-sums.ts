import { type RawBuilder, sql } from 'kysely'
import {
  ALL_DIMENSIONS,
  type DimensionColumn,
  type RowDimensionColumn,
  type UsageDimension,
  type UsageGroup,
} from '../../domain/log/usage-dimensions.ts'
import type { ExactInteger } from '../../store/engine/exact-integer.ts'
import type { Tag } from '../search/tag.ts'
import { GATEWAY_BUCKETS, LATENCY_BUCKETS } from './latency.ts'
import { DAY_MS } from './rollup.ts'
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
  filters: Partial<Record<DimensionColumn | RowDimensionColumn, string>>
  tag?: Tag | null
}

export interface UsageRow extends UsageSums {
  /** Beginning of the minute, hour or day (UTC); null without an interval. */
  start: number | null
  /** Values of the group's columns; an empty text where a request has none. */
  group: string[]
  /** All groups but the costliest, as one (attributed.ts). */
  isRest: boolean
}

export interface Usage {
  /**
   * What the sums cover. Where rows are already deleted, it is wider than requested, by whole hours; by the minute it
   * is narrower, because minutes come from rows alone.
   */
  from: number
  to: number
  /** By start, then by group. */
  rows: UsageRow[]
}

const MINUTE_MS = 60_000
const GROUP_COLUMNS = Object.fromEntries(
  ALL_DIMENSIONS.map((dimension: UsageDimension) => [dimension.parameter, dimension.group ?? [dimension.column]]),
) as Record<UsageGroup, readonly string[]>

export type Sums = Record<string, ExactInteger | string>
export type Expressions = Readonly<Record<string, RawBuilder<unknown>>>

/** What a row of the answer groups by: always at least one column. */
export function grouped({ interval, groupBy }: UsageQuery, dimensions: Expressions): Expressions {
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

export function aliased(columns: Expressions) {
  return Object.entries(columns).map(([name, expression]) => expression.as(name))
}

export function places(columns: Expressions) {
  return sql`${sql.join(Object.keys(columns).map((_, index) => sql.lit(index + 1)))}`
}

/** Amounts in two parts, because SQLite refuses to add beyond 64 bits. */
const PART = 1_000_000_000n
const part = sql.raw(String(PART))

export function summed(counts: Expressions, amounts: Expressions) {
  return [
    ...Object.entries(counts).map(([name, count]) => sql`sum(${count})`.as(name)),
    ...Object.entries(amounts).flatMap(([name, amount]) => [
      sql`sum((${amount}) / ${part})`.as(`${name}_high`),
      sql`sum((${amount}) % ${part})`.as(`${name}_low`),
    ]),
  ]
}

/** The names of what `summed` selects. */
export function figureNames(counts: Expressions, amounts: Expressions): string[] {
  return [...Object.keys(counts), ...Object.keys(amounts).flatMap((name) => [`${name}_high`, `${name}_low`])]
}

/** Written out once: there are dozens of them in each of thousands of rows. */
const LATENCY_NAMES = Array.from({ length: LATENCY_BUCKETS }, (_, bucket) => `latency_${bucket}`)
const GATEWAY_NAMES = Array.from({ length: GATEWAY_BUCKETS }, (_, bucket) => `gateway_${bucket}`)

/** Where a row of the database belongs. */
export function placeOf(row: Sums, { interval, groupBy }: UsageQuery): Pick<UsageRow, 'start' | 'group' | 'isRest'> {
  return {
    start: interval === null ? null : Number(row['start']),
    group: groupBy === null ? [] : GROUP_COLUMNS[groupBy].map((column) => String(row[column])),
    isRest: Number(row['is_rest'] ?? 0) === 1,
  }
}

export function usageRow(row: Sums, query: UsageQuery): UsageRow {
  const amount = (name: string) => BigInt(row[`${name}_high`] ?? 0) * PART + BigInt(row[`${name}_low`] ?? 0)
  return {
    ...placeOf(row, query),
    uses: {},
    requests: Number(row['requests']),
    errors: Number(row['errors']),
    fallbacks: Number(row['fallbacks']),
    unpriced: Number(row['unpriced']),
    cacheHits: Number(row['cache_hits']),
    savedPicodollars: amount('saved_picodollars'),
    unconfirmedEstimate: amount('unconfirmed_estimate_picodollars'),
    unconfirmedMost: amount('unconfirmed_most_picodollars'),
    unconfirmedCounted: amount('unconfirmed_counted_picodollars'),
    resalePicodollars: amount('resale_picodollars'),
    promptCacheSaved: amount('prompt_cache_saved_picodollars'),
    promptTokens: amount('prompt_tokens'),
    completionTokens: amount('completion_tokens'),
    cachedTokens: amount('cached_tokens'),
    cacheWriteTokens: amount('cache_write_tokens'),
    reasoningTokens: amount('reasoning_tokens'),
    costPicodollars: amount('cost_picodollars'),
    upstreamMs: amount('upstream_ms'),
    gatewayMicroseconds: amount('gateway_microseconds'),
    latencies: LATENCY_NAMES.map((name) => Number(row[name] ?? 0)),
    gatewayTimes: GATEWAY_NAMES.map((name) => Number(row[name] ?? 0)),
  }
}

/** Rows of the same start and group are one; a request that was counted and taken back leaves none. */
export function merged(rows: readonly UsageRow[]): UsageRow[] {
  const byPlace = new Map<string, UsageRow>()
  for (const row of rows) {
    const place = JSON.stringify([row.start, row.isRest, ...row.group])
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
