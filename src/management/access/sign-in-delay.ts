/** Recent wrong keys. */
export interface Failures {
  count: number
  /** Milliseconds of any steady clock. */
  lastAt: number
}

export const NO_FAILURES: Failures = { count: 0, lastAt: 0 }

const FIRST_DELAY_MS = 250
export const LONGEST_DELAY_MS = 5_000
const FORGET_AFTER_MS = 5 * 60_000

export function afterFailure({ count, lastAt }: Failures, now: number): Failures {
  return { count: now - lastAt >= FORGET_AFTER_MS ? 1 : count + 1, lastAt: now }
}

/** How long the answer to the newest wrong key waits: a person hardly notices, a program that guesses gets nowhere. */
export function delayMs({ count }: Failures): number {
  return count === 0 ? 0 : Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (count - 1))
}
