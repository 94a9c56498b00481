import type { Failure } from './failure.ts'

/** What we remember of one provider+model. */
export interface Circuit {
  consecutiveFailures: number
  /** Skipped until then, while another entry can serve. */
  openUntil: number
  /** One trial call is out; until it returns the others keep skipping. */
  trial: boolean
}

export type CircuitState = 'closed' | 'open' | 'half-open'

export const FAILURES_TO_OPEN = 5
export const OPEN_MS = 30_000
/** A provider that asks for more than an hour is asked again after an hour. */
const LONGEST_COOL_DOWN_MS = 3_600_000

export const NEW_CIRCUIT: Circuit = { consecutiveFailures: 0, openUntil: 0, trial: false }

export function circuitState(circuit: Circuit, now: number): CircuitState {
  if (circuit.openUntil === 0) return 'closed'
  return now < circuit.openUntil ? 'open' : 'half-open'
}

/** May the entry be asked now? A half-open circuit lets exactly one call through. */
export function isSkipped(circuit: Circuit, now: number): boolean {
  const state = circuitState(circuit, now)
  return state === 'open' || (state === 'half-open' && circuit.trial)
}

export function afterStart(circuit: Circuit, now: number): Circuit {
  return circuitState(circuit, now) === 'half-open' ? { ...circuit, trial: true } : circuit
}

/**
 * Also after a caller's mistake: the provider answered, so it is alive. A wait that it asked of a call meanwhile stands:
 * one that was under way before says nothing about it.
 */
export function afterSuccess(circuit: Circuit, now: number): Circuit {
  const coolsDown = circuit.openUntil > now && circuit.consecutiveFailures < FAILURES_TO_OPEN
  return coolsDown ? { consecutiveFailures: 0, openUntil: circuit.openUntil, trial: false } : NEW_CIRCUIT
}

/** The caller hung up: that says nothing about the provider. */
export function afterAbandoned(circuit: Circuit): Circuit {
  return circuit.trial ? { ...circuit, trial: false } : circuit
}

export function afterFailure(circuit: Circuit, failure: Failure, now: number): Circuit {
  if (failure.next !== 'any') return afterSuccess(circuit, now)
  const consecutiveFailures = circuit.consecutiveFailures + 1
  // A failed trial counts on from the five that opened the circuit. After a mere cool-down it is one failure like any
  // other: a provider that asked for a second must not be skipped for thirty.
  const opens = consecutiveFailures >= FAILURES_TO_OPEN
  const coolDown = Math.min(failure.retryAfterMs ?? 0, LONGEST_COOL_DOWN_MS)
  const until = Math.max(circuit.openUntil, opens ? now + OPEN_MS : 0, coolDown > 0 ? now + coolDown : 0)
  return { consecutiveFailures, openUntil: until > now ? until : 0, trial: false }
}
