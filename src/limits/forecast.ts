/** Before this share of a period has passed, a few calls decide the figure. */
const FIRST_SHARE = 0.05

/** A period, Unix milliseconds; `resetsAt` is null where it never ends. */
export interface RunningPeriod {
  spent: bigint
  startsAt: number
  resetsAt: number | null
}

/**
 * What is spent when the period ends if spending continues at its average pace; null where it never ends or has just begun.
 * `since` is when spending could begin: a key may be younger than the period.
 */
export function forecastSpend({ spent, startsAt, resetsAt }: RunningPeriod, since: number, now: number): bigint | null {
  if (resetsAt === null) return null
  const begun = Math.max(startsAt, since)
  const elapsed = now - begun
  if (elapsed < (resetsAt - begun) * FIRST_SHARE || elapsed <= 0) return null
  return (spent * BigInt(resetsAt - begun)) / BigInt(elapsed)
}

const DAY_MS = 86_400_000
/** Fewer days do not show how much days differ. */
const FEWEST_DAYS = 3
/** 1.28 standard deviations to either side: 8 of 10 months end between them, if days go on to differ as they did. */
const PERCENT_OF_DEVIATION = 128n

/**
 * How far the end of a period may be from the forecast: what the remaining days may add up to, and how little a few
 * days say of their mean. `days`: what was spent on each whole day so far. Null: too few of them.
 */
export function forecastSpread(days: readonly bigint[], leftMs: number): bigint | null {
  if (days.length < FEWEST_DAYS) return null
  const count = BigInt(days.length)
  const total = days.reduce((sum, day) => sum + day, 0n)
  const squares = days.reduce((sum, day) => sum + (count * day - total) ** 2n, 0n)
  const [left, day] = [BigInt(Math.max(0, leftMs)), BigInt(DAY_MS)]
  // The variance of a day times (left + left² / count), left in days.
  const above = squares * (left * day * count + left * left) * PERCENT_OF_DEVIATION ** 2n
  return squareRoot(above / (count ** 3n * (count - 1n) * day ** 2n * 100n ** 2n))
}

/** From low to high; never below what is spent. Null where one of them is unknown. */
export function forecastRange(forecast: bigint | null, spread: bigint | null, spent: bigint) {
  if (forecast === null || spread === null) return { low: null, high: null }
  const low = forecast - spread
  return { low: low < spent ? spent : low, high: forecast + spread }
}

/** Rounded down. */
function squareRoot(value: bigint): bigint {
  if (value < 2n) return value
  let root = 1n << BigInt(Math.ceil(value.toString(2).length / 2))
  for (;;) {
    const next = (root + value / root) >> 1n
    if (next >= root) return root
    root = next
  }
}
