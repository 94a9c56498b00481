import type { Failure } from '../../domain/failure.ts'

/** The longest wait before a retry; beyond it the chain moves to the next entry. */
export const LONGEST_WAIT_MS = 5_000
const FIRST_BACKOFF_MS = 500
const LONGEST_BACKOFF_MS = 8_000

export type Step =
  | { kind: 'retry'; waitMs: number; reason: string }
  | { kind: 'next-entry'; reason: string }
  | { kind: 'give-up'; reason: string }

export interface StepContext {
  /** How often this entry has been retried already. */
  retriesUsed: number
  retriesAllowed: number
  /** The token that was refused is replaced by another, for the first time in this call. */
  hasNewToken?: boolean
  /** 0 ≤ random < 1: spreads the retries of calls that failed together. */
  random: number
}

/** What to do after a failure. A caller's mistake never moves on; a fault of the provider or the operator does. */
export function nextStep(failure: Failure, context: StepContext): Step {
  // Not a retry of the route: it is a different request, sent only once.
  if (context.hasNewToken === true) {
    return { kind: 'retry', waitMs: 0, reason: `${failure.code}: asked again with a new token` }
  }
  const waitMs = failure.retryAfterMs ?? backoffMs(context)
  if (mayRetry(failure, context) && waitMs <= LONGEST_WAIT_MS) {
    return { kind: 'retry', waitMs, reason: `${failure.code}: asked again after ${waitMs} ms` }
  }
  switch (failure.next) {
    case 'none':
      return { kind: 'give-up', reason: `${failure.code}: every provider would reject this` }
    case 'larger-window':
      return { kind: 'next-entry', reason: `${failure.code}: only an entry with a larger window can help` }
    case 'any':
      return { kind: 'next-entry', reason: `${failure.code}: this entry cannot serve the call now` }
  }
}

/** The provider's own verdict comes first; `never` (out of credit) overrides even that. */
function mayRetry(failure: Failure, context: StepContext): boolean {
  if (failure.shouldRetry === false || context.retriesUsed >= context.retriesAllowed) return false
  switch (failure.retry) {
    case 'yes':
    case 'short-wait':
      return true
    case 'once':
      return failure.shouldRetry === true || context.retriesUsed === 0
    case 'new-token':
    case 'no':
      return failure.shouldRetry === true
    case 'never':
      return false
  }
}

/** Exponential backoff with jitter. */
function backoffMs(context: StepContext): number {
  const full = Math.min(FIRST_BACKOFF_MS * 2 ** context.retriesUsed, LONGEST_BACKOFF_MS)
  return Math.round(full * (1 - context.random / 4))
}

/** An unknown window never counts as larger: trying it would be a guess. */
export function isLargerWindow(candidate: number | null, failed: number | null): boolean {
  return candidate !== null && failed !== null && candidate > failed
}
