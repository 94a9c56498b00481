import type { Transaction } from 'kysely'
import type { ExactInteger } from '../../store/engine/exact-integer.ts'
import { RowsStatement } from '../../store/engine/rows-statement.ts'
import type { Database } from '../../store/engine/schema.ts'
import type { FullRow } from '../row.ts'
import { GATEWAY_BOUNDS_MICROSECONDS, GATEWAY_BUCKETS, LATENCY_BOUNDS_MS, LATENCY_BUCKETS } from '../usage/latency.ts'
import { addSumsStatement, CAP, DAY_MS, HOUR_MS, readDaysUntil } from '../usage/rollup.ts'

/** What some requests add to one row of the sums. Counts and amounts are in the order of rollup.ts. */
interface Addition {
  dimensions: readonly [string, number, string, string, string, string, string]
  counts: number[]
  amounts: ExactInteger[]
}

export interface UsageAdditions {
  /**
   * Adds closed requests to the sums, by the figures in hand: reading them back would cost as much as writing them.
   * `replaced` are taken out again. Called after the requests are written, once in a transaction: all who write the log
   * lock first its rows, then the hours, then the days, and never wait for each other in a circle.
   */
  add(db: Transaction<Database>, rows: readonly FullRow[], replaced?: readonly FullRow[]): Promise<void>
}

export function createUsageAdditions(): UsageAdditions {
  const toHours = new RowsStatement((size) => addSumsStatement('usage_hours', size))
  const toDays = new RowsStatement((size) => addSumsStatement('usage_days', size))
  return {
    async add(db, rows, replaced = []) {
      if (rows.length === 0) return
      await toHours.run(db, sumUp(rows, replaced, HOUR_MS).map(valuesOf))
      // After the hours, never before: see usage-days.ts.
      const until = await readDaysUntil(db)
      const isLate = (row: FullRow) => row.started_at < until
      await toDays.run(db, sumUp(rows.filter(isLate), replaced.filter(isLate), DAY_MS).map(valuesOf))
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
function sumUp(rows: readonly FullRow[], replaced: readonly FullRow[], width: number): Addition[] {
  const starts = new Map<number, Map<string, Addition>>()
  const count = (row: FullRow, sign: 1 | -1) => {
    const start = row.started_at - (row.started_at % width)
    const additions = starts.get(start) ?? new Map<string, Addition>()
    if (additions.size === 0) starts.set(start, additions)
    // Texts of the log have no NUL in them.
    const { workspace, key_id, route, provider, model, code } = row
    const name = `${workspace}\0${key_id}\0${route ?? ''}\0${provider ?? ''}\0${model ?? ''}\0${code ?? ''}`
    const known = additions.get(name)
    const addition = known ?? nothing(row, start)
    if (known === undefined) additions.set(name, addition)
    addCounts(addition.counts, row, sign)
    addAmounts(addition.amounts, row, sign)
  }
  for (const row of rows) count(row, 1)
  for (const row of replaced) count(row, -1)
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

function addCounts(counts: number[], row: FullRow, sign: 1 | -1): void {
  increase(counts, 0, sign)
  if (row.code !== null) increase(counts, 1, sign)
  if (row.fallback === 1) increase(counts, 2, sign)
  if (row.prompt_tokens !== null && row.cost_picodollars === null) increase(counts, 3, sign)
  if (row.upstream_ms !== null) increase(counts, LATENCY_AT + bucketOf(row.upstream_ms, LATENCY_BOUNDS_MS), sign)
  increase(counts, GATEWAY_AT + bucketOf(row.gateway_microseconds, GATEWAY_BOUNDS_MICROSECONDS), sign)
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

function addAmounts(amounts: ExactInteger[], row: FullRow, sign: 1 | -1): void {
  raise(amounts, 0, row.prompt_tokens, sign)
  raise(amounts, 1, row.completion_tokens, sign)
  raise(amounts, 2, row.cached_tokens, sign)
  raise(amounts, 3, row.cache_write_5m_tokens, sign)
  raise(amounts, 3, row.cache_write_30m_tokens, sign)
  raise(amounts, 3, row.cache_write_1h_tokens, sign)
  raise(amounts, 4, row.reasoning_tokens, sign)
  raise(amounts, 5, row.cost_picodollars, sign)
  raise(amounts, 6, row.upstream_ms, sign)
  raise(amounts, 7, row.gateway_microseconds, sign)
}

/** Exact whatever the size: as numbers while they can be, which is a tenth of the cost. */
function raise(amounts: ExactInteger[], place: number, by: ExactInteger | null, sign: 1 | -1): void {
  if (by === null || by === 0) return
  const present = amounts[place] ?? 0
  if (typeof present === 'number' && typeof by === 'number' && Number.isSafeInteger(present + sign * by)) {
    amounts[place] = present + sign * by
    return
  }
  amounts[place] = BigInt(present) + BigInt(sign) * BigInt(by)
}

function capped(amount: ExactInteger): ExactInteger {
  return amount > CAP ? CAP : amount
}
