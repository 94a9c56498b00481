import type { Failure } from './failure.ts'

/** The state of one provider and model. */
export interface Circuit {
  consecutiveFailures: number
  /** Until then the entry is skipped, if another entry can serve. */
  openUntil: number
  /** A trial call is running; until it ends the other calls skip the entry. */
  trial: boolean
}

export type CircuitState = 'closed' | 'open' | 'half-open'

export const FAILURES_TO_OPEN = 5
export const OPEN_MS = 30_000
/** Longer waits that a provider requests are capped at an hour. */
const LONGEST_COOL_DOWN_MS = 3_600_000

export const NEW_CIRCUIT: Circuit = { consecutiveFailures: 0, openUntil: 0, trial: false }

export function circuitState(circuit: Circuit, now: number): CircuitState {
  if (circuit.openUntil === 0) return 'closed'
  return now < circuit.openUntil ? 'open' : 'half-open'
}

/** Whether the entry may be called now. A half-open circuit allows exactly one call. */
export function isSkipped(circuit: Circuit, now: number): boolean {
  const state = circuitState(circuit, now)
  return state === 'open' || (state === 'half-open' && circuit.trial)
}

export function afterStart(circuit: Circuit, now: number): Circuit {
  return circuitState(circuit, now) === 'half-open' ? { ...circuit, trial: true } : circuit
}

/**
 * Also after a caller's mistake: the provider answered, so it is alive. A wait that the provider requested from another
 * call in the meantime stays in force.
 */
export function afterSuccess(circuit: Circuit, now: number): Circuit {
  const coolsDown = circuit.openUntil > now && circuit.consecutiveFailures < FAILURES_TO_OPEN
  return coolsDown ? { consecutiveFailures: 0, openUntil: circuit.openUntil, trial: false } : NEW_CIRCUIT
}

/** The caller left, which says nothing about the provider. */
export function afterAbandoned(circuit: Circuit): Circuit {
  return circuit.trial ? { ...circuit, trial: false } : circuit
}

export function afterFailure(circuit: Circuit, failure: Failure, now: number): Circuit {
  if (failure.next !== 'any') return afterSuccess(circuit, now)
  const consecutiveFailures = circuit.consecutiveFailures + 1
  // A failed trial adds to the failures that opened the circuit. After a mere cool-down it is one ordinary failure: a
  // provider that requested a short wait must not be skipped for the full open time.
  const opens = consecutiveFailures >= FAILURES_TO_OPEN
  const coolDown = Math.min(failure.retryAfterMs ?? 0, LONGEST_COOL_DOWN_MS)
  const until = Math.max(circuit.openUntil, opens ? now + OPEN_MS : 0, coolDown > 0 ? now + coolDown : 0)
  return { consecutiveFailures, openUntil: until > now ? until : 0, trial: false }
}
