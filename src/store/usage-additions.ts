import type { Transaction } from 'kysely'
import { GATEWAY_BOUNDS_MICROSECONDS, GATEWAY_BUCKETS, LATENCY_BOUNDS_MS, LATENCY_BUCKETS } from '../domain/latency.ts'
import type { ExactInteger } from './exact-integer.ts'
import type { FullRow } from './request-row.ts'
import { addSumsStatement, CAP, DAY_MS, HOUR_MS, readDaysUntil } from './rollup.ts'
import { RowsStatement } from './rows-statement.ts'
import type { Database } from './schema.ts'

/** What some requests add to one row of the sums. Counts and amounts are in the order of rollup.ts. */
interface Addition {
  dimensions: readonly [string, number, string, string, string, string, string]
  counts: number[]
  amounts: ExactInteger[]
}

export interface UsageAdditions {
  /** Adds closed requests to the sums, by the figures in hand: reading them back would cost as much as writing them. */
  add(db: Transaction<Database>, rows: readonly FullRow[]): Promise<void>
}

export function createUsageAdditions(): UsageAdditions {
  const toHours = new RowsStatement((size) => addSumsStatement('usage_hours', size))
  const toDays = new RowsStatement((size) => addSumsStatement('usage_days', size))
  return {
    async add(db, rows) {
      if (rows.length === 0) return
      await toHours.run(db, sumUp(rows, HOUR_MS).map(valuesOf))
      // After the hours, never before: see usage-days.ts.
      const until = await readDaysUntil(db)
      const late = rows.filter((row) => row.started_at < until)
      await toDays.run(db, sumUp(late, DAY_MS).map(valuesOf))
    },
  }
}

function valuesOf({ dimensions, counts, amounts }: Addition): unknown[] {
  return [...dimensions, ...counts, ...amounts.map(capped)]
}

/**
 * One for each hour or day and its dimensions, always in the same order: two nodes that add to the same hours must not
 * wait for each other in a circle.
 */
export function sumUp(rows: readonly FullRow[], width: number): Addition[] {
  const starts = new Map<number, Map<string, Addition>>()
  for (const row of rows) {
    const start = row.started_at - (row.started_at % width)
    const additions = starts.get(start) ?? new Map<string, Addition>()
    if (additions.size === 0) starts.set(start, additions)
    // Texts of the log have no NUL in them.
    const { workspace, key_id, route, provider, model, code } = row
    const name = `${workspace}\0${key_id}\0${route ?? ''}\0${provider ?? ''}\0${model ?? ''}\0${code ?? ''}`
    const known = additions.get(name)
    const addition = known ?? nothing(row, start)
    if (known === undefined) additions.set(name, addition)
    addCounts(addition.counts, row)
    addAmounts(addition.amounts, row)
  }
  return [...starts]
    .sort(([a], [b]) => a - b)
    .flatMap(([, additions]) => [...additions].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, addition]) => addition))
}

function nothing({ workspace, key_id, route, provider, model, code }: FullRow, start: number): Addition {
  return {
    dimensions: [workspace, start, key_id, route ?? '', provider ?? '', model ?? '', code ?? ''],
    counts: Array.from({ length: GATEWAY_AT + GATEWAY_BUCKETS }, () => 0),
    amounts: Array.from({ length: AMOUNTS }, () => 0),
  }
}

const LATENCY_AT = 4
const GATEWAY_AT = LATENCY_AT + LATENCY_BUCKETS
const AMOUNTS = 8

function addCounts(counts: number[], row: FullRow): void {
  increase(counts, 0, 1)
  increase(counts, 1, row.code === null ? 0 : 1)
  increase(counts, 2, row.fallback)
  increase(counts, 3, row.prompt_tokens !== null && row.cost_picodollars === null ? 1 : 0)
  if (row.upstream_ms !== null) increase(counts, LATENCY_AT + bucketOf(row.upstream_ms, LATENCY_BOUNDS_MS), 1)
  increase(counts, GATEWAY_AT + bucketOf(row.gateway_microseconds, GATEWAY_BOUNDS_MICROSECONDS), 1)
}

function increase(counts: number[], place: number, by: number): void {
  counts[place] = (counts[place] ?? 0) + by
}

/** The bucket's number is that of the bounds that the value has reached. */
function bucketOf(value: number, bounds: readonly number[]): number {
  let bucket = 0
  for (const bound of bounds) {
    if (value < bound) break
    bucket++
  }
  return bucket
}

function addAmounts(amounts: ExactInteger[], row: FullRow): void {
  raise(amounts, 0, row.prompt_tokens)
  raise(amounts, 1, row.completion_tokens)
  raise(amounts, 2, row.cached_tokens)
  raise(amounts, 3, row.cache_write_5m_tokens)
  raise(amounts, 3, row.cache_write_30m_tokens)
  raise(amounts, 3, row.cache_write_1h_tokens)
  raise(amounts, 4, row.reasoning_tokens)
  raise(amounts, 5, row.cost_picodollars)
  raise(amounts, 6, row.upstream_ms)
  raise(amounts, 7, row.gateway_microseconds)
}

/** Exact whatever the size: as numbers while they can be, which is a tenth of the cost. */
function raise(amounts: ExactInteger[], place: number, by: ExactInteger | null): void {
  if (by === null || by === 0) return
  const present = amounts[place] ?? 0
  if (typeof present === 'number' && typeof by === 'number' && Number.isSafeInteger(present + by)) {
    amounts[place] = present + by
    return
  }
  amounts[place] = BigInt(present) + BigInt(by)
}

function capped(amount: ExactInteger): ExactInteger {
  return amount > CAP ? CAP : amount
}
