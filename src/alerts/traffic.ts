import { latencyPercentile } from '../request-log/usage/latency.ts'

/** What went through, of one hour or day, without the keys. */
export interface TrafficRow {
  /** Its beginning, Unix milliseconds. */
  time: number
  workspace: string
  /** Empty: a direct model id. */
  route: string
  /** Empty: no provider was asked. */
  provider: string
  model: string
  /** Empty: it was answered. */
  code: string
  requests: number
  unpriced: number
  promptTokens: number
  /** Of them from the provider's cache. */
  cachedTokens: number
  /** Calls by duration of the attempt that served. */
  latencies: readonly number[]
}

/** The sums as they stood then: they only grow. */
export interface Sample {
  at: number
  rows: readonly TrafficRow[]
}

export const WINDOW_MS = 600_000

/** What came between the newest sample that is ten minutes old, or the oldest there is, and the last one. */
export function recentRows(samples: readonly Sample[]): TrafficRow[] {
  const last = samples.at(-1)
  if (last === undefined) return []
  const base = samples.findLast(({ at }) => at <= last.at - WINDOW_MS) ?? samples[0]
  const before = new Map(base?.rows.map((row) => [cellOf(row), row]))
  return last.rows.map((row) => less(row, before.get(cellOf(row))))
}

/** Those that the next window may begin with. */
export function stillNeeded(samples: readonly Sample[], now: number): Sample[] {
  const first = samples.findLastIndex(({ at }) => at <= now - WINDOW_MS)
  return samples.slice(Math.max(0, first))
}

function cellOf({ time, workspace, route, provider, model, code }: TrafficRow): string {
  return JSON.stringify([time, workspace, route, provider, model, code])
}

function less(row: TrafficRow, before: TrafficRow | undefined): TrafficRow {
  if (before === undefined) return row
  return {
    ...row,
    requests: row.requests - before.requests,
    unpriced: row.unpriced - before.unpriced,
    promptTokens: row.promptTokens - before.promptTokens,
    cachedTokens: row.cachedTokens - before.cachedTokens,
    latencies: row.latencies.map((count, bucket) => count - (before.latencies[bucket] ?? 0)),
  }
}

/** Failures that callers can do nothing about. */
const FAILURES: ReadonlySet<string> = new Set([
  ...['upstream_error', 'upstream_timeout', 'provider_overloaded', 'rate_limited', 'no_provider_available'],
  ...['internal_error', 'provider_auth_error', 'provider_quota_exceeded'],
])

export interface Level {
  /** What it is the level of. */
  names: readonly [string, string]
  calls: number
  /** A share of failed calls or cached tokens, or a duration in milliseconds. */
  value: number
}

/** The share of failed calls of each workspace and route. */
export function errorLevels(rows: readonly TrafficRow[]): Level[] {
  return grouped(rows, ({ workspace, route }) => [workspace, route]).map(({ names, members }) => {
    const calls = sum(members.map(({ requests }) => requests))
    const failed = sum(members.filter(({ code }) => FAILURES.has(code)).map(({ requests }) => requests))
    return { names, calls, value: calls === 0 ? 0 : failed / calls }
  })
}

/** The share of the prompts of each workspace and route that came from a cache. */
export function cacheLevels(rows: readonly TrafficRow[]): Level[] {
  const answered = rows.filter(({ provider, code, promptTokens }) => provider !== '' && code === '' && promptTokens > 0)
  return grouped(answered, ({ workspace, route }) => [workspace, route]).map(({ names, members }) => {
    const prompt = sum(members.map(({ promptTokens }) => promptTokens))
    const cached = sum(members.map(({ cachedTokens }) => cachedTokens))
    return { names, calls: sum(members.map(({ requests }) => requests)), value: cached / prompt }
  })
}

/** The time that 95 % of the answers of each provider and model stay within. */
export function latencyLevels(rows: readonly TrafficRow[]): Level[] {
  const answered = rows.filter(({ provider, code }) => provider !== '' && code === '')
  return grouped(answered, ({ provider, model }) => [provider, model]).map(({ names, members }) => {
    const counts = (members[0]?.latencies ?? []).map((_, bucket) =>
      sum(members.map(({ latencies }) => latencies[bucket] ?? 0)),
    )
    return { names, calls: sum(counts), value: latencyPercentile(counts, 0.95) ?? 0 }
  })
}

/** Fewer days say nothing of what is usual. */
const FEWEST_DAYS = 3

/** The median of the days that had enough calls; null where too few had. */
export function usualLevel(days: readonly Level[], calls: number): number | null {
  const values = days.filter((day) => day.calls >= calls).map(({ value }) => value)
  if (values.length < FEWEST_DAYS) return null
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? 0
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? 0)) / 2
}

/** The levels of each day, by what they are the level of. */
export function dailyLevels(
  days: readonly TrafficRow[],
  levels: (rows: readonly TrafficRow[]) => Level[],
): ReadonlyMap<string, Level[]> {
  const found = new Map<string, Level[]>()
  for (const { members } of grouped(days, ({ time }) => [String(time), ''])) {
    for (const level of levels(members)) {
      const name = JSON.stringify(level.names)
      found.set(name, [...(found.get(name) ?? []), level])
    }
  }
  return found
}

function grouped(rows: readonly TrafficRow[], namesOf: (row: TrafficRow) => [string, string]) {
  const groups = Map.groupBy(rows, (row) => JSON.stringify(namesOf(row)))
  return [...groups].map(([names, members]) => ({ names: JSON.parse(names) as [string, string], members }))
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
