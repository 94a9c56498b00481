/**
 * Counted durations in whole milliseconds: exact below 128, above in buckets of at most a 64th of their value, under
 * the middle of the bucket. Counts of several hours, nodes or workspaces add up, percentiles would not.
 */
export type Histogram = Map<number, number>

/** The same as it is kept: a value, its count, and so on. */
export type PackedHistogram = readonly number[]

const EXACT_BITS = 7
const LARGEST = 2 ** 31 - 1

/** At most 1 % off. */
export function bucketOf(milliseconds: number): number {
  const value = Math.min(milliseconds, LARGEST)
  const shift = 32 - Math.clz32(value) - EXACT_BITS
  if (shift <= 0) return value
  return ((value >>> shift) << shift) + (1 << (shift - 1))
}

/** `text` holds the durations, separated by spaces. */
export function packed(text: string | null): PackedHistogram {
  const counts: Histogram = new Map()
  for (const value of text?.split(' ') ?? []) count(counts, bucketOf(Number(value)), 1)
  return [...counts].flat()
}

export function addPacked(counts: Histogram, added: PackedHistogram): void {
  for (let place = 0; place < added.length; place += 2) count(counts, added[place] ?? 0, added[place + 1] ?? 0)
}

export function addCounts<Value>(counts: Map<Value, number>, added: Map<Value, number>): void {
  for (const [value, times] of added) count(counts, value, times)
}

export function count<Value>(counts: Map<Value, number>, value: Value, times: number): void {
  counts.set(value, (counts.get(value) ?? 0) + times)
}

export interface Percentiles {
  count: number
  p50: number | null
  p95: number | null
  p99: number | null
}

/** By the nearest rank: the least duration that this share of the calls did not exceed. */
export function percentilesOf(counts: Histogram): Percentiles {
  const values = [...counts].sort(([a], [b]) => a - b)
  const total = values.reduce((sum, [, times]) => sum + times, 0)
  const at = (percent: number) => {
    let left = Math.ceil((total * percent) / 100)
    for (const [value, times] of values) {
      left -= times
      if (left <= 0) return value
    }
    return null
  }
  return { count: total, p50: at(50), p95: at(95), p99: at(99) }
}
