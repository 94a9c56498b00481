/**
 * Upper bounds of the latency buckets in milliseconds, about half as much again from one to the next where calls to
 * models live; a last bucket holds the rest. The roll-ups have a column for each: a change of these is a migration.
 */
export const LATENCY_BOUNDS_MS = [
  10, 20, 40, 70, 100, 150, 220, 330, 500, 700, 1_000, 1_500, 2_200, 3_300, 5_000, 7_000, 10_000, 15_000, 22_000,
  33_000, 60_000, 120_000, 300_000,
] as const

export const LATENCY_BUCKETS = LATENCY_BOUNDS_MS.length + 1

/** The same for the time spent in the gateway itself, which is counted in microseconds: from 0.1 ms to a second. */
export const GATEWAY_BOUNDS_MICROSECONDS = [
  100, 150, 200, 300, 400, 500, 700, 1_000, 1_500, 2_000, 3_000, 5_000, 7_000, 10_000, 15_000, 20_000, 30_000, 50_000,
  100_000, 200_000, 500_000, 1_000_000,
] as const

export const GATEWAY_BUCKETS = GATEWAY_BOUNDS_MICROSECONDS.length + 1

/** The latency that a share of the calls stayed within, in milliseconds. */
export function latencyPercentile(counts: readonly number[], share: number): number | null {
  return percentile(LATENCY_BOUNDS_MS, counts, share)
}

/** The time in the gateway that a share of the calls stayed within, in microseconds. */
export function gatewayPercentile(counts: readonly number[], share: number): number | null {
  return percentile(GATEWAY_BOUNDS_MICROSECONDS, counts, share)
}

/**
 * An estimate, straight between the bounds of its bucket, and the last bound when it lies beyond. Null when there were
 * no calls.
 */
function percentile(bounds: readonly number[], counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  let before = 0
  for (const [bucket, count] of counts.entries()) {
    const lower = bounds[bucket - 1] ?? 0
    const upper = bounds[bucket]
    if (upper === undefined) return lower
    if (count > 0 && before + count >= share * total) {
      return Math.round(lower + ((upper - lower) * (share * total - before)) / count)
    }
    before += count
  }
  return null
}
