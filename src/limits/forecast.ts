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
