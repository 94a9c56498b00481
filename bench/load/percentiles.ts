/** Exact, over every call: no buckets, no estimates. */
export interface Percentiles {
  p50: number
  p99: number
}

export function percentilesOf(values: readonly number[]): Percentiles {
  const sorted = Float64Array.from(values).sort()
  return { p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99) }
}

/** The smallest value that at least the given share does not exceed. */
export function percentile(sorted: ArrayLike<number>, share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0
}

/** Ignores missing values; null when all are missing. */
export function median(values: readonly (number | null)[]): number | null {
  const sorted = sortedValues(values)
  const upper = sorted[Math.floor(sorted.length / 2)]
  const lower = sorted[Math.floor((sorted.length - 1) / 2)]
  return upper === undefined || lower === undefined ? null : (upper + lower) / 2
}

/** A quarter of the values lies below, a quarter above. */
export type Spread = [from: number, to: number]

export function spreadOf(values: readonly (number | null)[]): Spread | null {
  const sorted = sortedValues(values)
  return sorted.length === 0 ? null : [percentile(sorted, 0.25), percentile(sorted, 0.75)]
}

function sortedValues(values: readonly (number | null)[]): number[] {
  return values.filter((value) => value !== null).sort((a, b) => a - b)
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
