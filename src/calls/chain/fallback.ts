import type { Failure } from '../../domain/failure.ts'

/** The longest we let a caller wait for the same entry before we go to the next one. */
export const LONGEST_WAIT_MS = 5_000
const FIRST_BACKOFF_MS = 500
const LONGEST_BACKOFF_MS = 8_000

export type Step =
  | { kind: 'retry'; waitMs: number; reason: string }
  | { kind: 'next-entry'; reason: string }
  | { kind: 'give-up'; reason: string }

export interface StepContext {
  /** How often this entry has been asked again already. */
  retriesUsed: number
  retriesAllowed: number
  /** 0 ≤ random < 1: spreads callers who failed together. */
  random: number
}

/** What to do after a failure. A caller's mistake never moves on; what is the provider's or operator's fault does. */
export function nextStep(failure: Failure, context: StepContext): Step {
  const waitMs = failure.retryAfterMs ?? backoffMs(context)
  if (mayRetry(failure, context) && waitMs <= LONGEST_WAIT_MS) {
    return { kind: 'retry', waitMs, reason: `${failure.code}: asked again after ${waitMs} ms` }
  }
  switch (failure.next) {
    case 'none':
      return { kind: 'give-up', reason: `${failure.code}: would fail the same way anywhere` }
    case 'larger-window':
      return { kind: 'next-entry', reason: `${failure.code}: only an entry with a larger window can help` }
    case 'any':
      return { kind: 'next-entry', reason: `${failure.code}: this entry cannot serve the call now` }
  }
}

/** The provider's own verdict comes first; `never` (out of credit) holds even against it. */
function mayRetry(failure: Failure, context: StepContext): boolean {
  if (failure.shouldRetry === false || context.retriesUsed >= context.retriesAllowed) return false
  switch (failure.retry) {
    case 'yes':
    case 'short-wait':
      return true
    case 'once':
      return failure.shouldRetry === true || context.retriesUsed === 0
    case 'no':
      return failure.shouldRetry === true
    case 'never':
      return false
  }
}

/** 0.5 s doubling up to 8 s, minus up to a quarter. */
function backoffMs(context: StepContext): number {
  const full = Math.min(FIRST_BACKOFF_MS * 2 ** context.retriesUsed, LONGEST_BACKOFF_MS)
  return Math.round(full * (1 - context.random / 4))
}

/** An unknown window is never "larger": moving on a guess would burn a second entry for nothing. */
export function isLargerWindow(candidate: number | null, failed: number | null): boolean {
  return candidate !== null && failed !== null && candidate > failed
}
