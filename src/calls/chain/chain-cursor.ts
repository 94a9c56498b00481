import { GatewayError } from '../../domain/errors.ts'
import type { Failure } from '../../domain/failure.ts'
import type { ChainEntry } from '../../domain/route.ts'
import { named, worded } from '../../domain/wording/worded.ts'
import type { Candidate, Fitness } from './assess.ts'
import type { Circuits } from './circuits.ts'
import { isLargerWindow } from './fallback.ts'

export const CIRCUIT_REASON = 'skipped: it has been failing or asked to be left alone'
export const WINDOW_REASON = 'skipped: its window is not known to be larger'

/** What is known of an entry when its turn comes. */
export interface EntryState {
  /** Null when it can serve the request. */
  unfit: string | null
  isCircuitOpen: boolean
  contextWindow: number | null
}

/** The prompt was too long for this window: only a larger one can help. */
export type Outgrown = { window: number | null } | null

/**
 * Why the entry at this position is skipped; null: it is called. An entry whose circuit is open is skipped only while a
 * later one can serve: the last usable entry is always tried.
 */
export function skipReason(states: readonly EntryState[], position: number, outgrown: Outgrown): string | null {
  const state = states[position]
  const unfit = state === undefined ? WINDOW_REASON : unfitReason(state, outgrown)
  if (unfit !== null || state?.isCircuitOpen !== true) return unfit
  const hasUsableAfter = states.some((later, at) => at > position && unfitReason(later, outgrown) === null)
  return hasUsableAfter ? CIRCUIT_REASON : null
}

function unfitReason({ unfit, contextWindow }: EntryState, outgrown: Outgrown): string | null {
  if (outgrown !== null && !isLargerWindow(contextWindow, outgrown.window)) return WINDOW_REASON
  return unfit
}

/** Called once for each skipped entry, in order. */
export type Skip = (entry: ChainEntry, reason: string) => void

/** Where a call is in its chain: which entry is called next, and the error when none is left. */
export class ChainCursor {
  lastFailure: Failure | null = null
  smallestWaitMs: number | null = null
  readonly #chain: readonly ChainEntry[]
  readonly #fitnesses: readonly Fitness[]
  readonly #circuits: Circuits
  readonly #skip: Skip
  #outgrown: Outgrown = null
  #position = 0
  /** Asked beside another, out of turn. */
  readonly #taken = new Set<number>()
  /** The first refusal and the first provider without a key: the error when no entry was called. */
  #refusal: GatewayError | null = null
  #unconfigured: string | null = null

  constructor(chain: readonly ChainEntry[], fitnesses: readonly Fitness[], circuits: Circuits, skip: Skip) {
    this.#chain = chain
    this.#fitnesses = fitnesses
    this.#circuits = circuits
    this.#skip = skip
  }

  /** The entry to call next; null when none is left. Throws for a caller's mistake, which no entry could serve. */
  next(): Candidate | null {
    while (this.#position < this.#chain.length) {
      const position = this.#position++
      const fitness = this.#fitnesses[position]
      const entry = this.#chain[position]
      if (fitness === undefined || entry === undefined || this.#taken.has(position)) continue
      const isFirstChoice = fitness.kind === 'usable' && this.#outgrown === null && !this.#circuits.isSkipped(entry)
      if (isFirstChoice) return fitness.candidate
      const reason = skipReason(this.#states(), position, this.#outgrown)
      if (reason === null && fitness.kind === 'usable') return fitness.candidate
      if (reason === INVALID && fitness.kind === 'invalid') throw new GatewayError('invalid_request', fitness.message)
      if (reason !== WINDOW_REASON) this.#remember(fitness, entry)
      this.#skip(entry, reason ?? '')
    }
    return null
  }

  /** An entry to ask beside one that is late: one that is well, never a last resort. Null: there is none. */
  hedge(): Candidate | null {
    if (this.#outgrown !== null) return null
    for (let position = this.#position; position < this.#chain.length; position++) {
      const [fitness, entry] = [this.#fitnesses[position], this.#chain[position]]
      if (fitness?.kind !== 'usable' || entry === undefined) continue
      if (this.#taken.has(position) || this.#circuits.isSkipped(entry)) continue
      this.#taken.add(position)
      return fitness.candidate
    }
    return null
  }

  failed(failure: Failure, { traits }: Candidate): void {
    this.lastFailure = failure
    if (failure.retryAfterMs !== null) {
      this.smallestWaitMs = Math.min(this.smallestWaitMs ?? Number.POSITIVE_INFINITY, failure.retryAfterMs)
    }
    if (failure.next === 'larger-window') this.#outgrown = { window: traits.contextWindow }
  }

  /** The error when no entry was called. */
  unattemptedError(): GatewayError {
    if (this.#refusal !== null) return this.#refusal
    if (this.#unconfigured === null) return new GatewayError('no_provider_available')
    return new GatewayError(
      'provider_not_configured',
      worded`Provider '${named(this.#unconfigured)}' has no key. Set one in the environment or in switchyard.yaml and restart the gateway.`,
    )
  }

  /** Circuits change while a call runs. */
  #states(): EntryState[] {
    return this.#fitnesses.map((fitness, position) => {
      const entry = this.#chain[position]
      const isCircuitOpen = entry !== undefined && this.#circuits.isSkipped(entry)
      // An unconfigured provider is skipped for that reason; its context window does not matter.
      const contextWindow = fitness.kind === 'unconfigured' ? Number.POSITIVE_INFINITY : fitness.contextWindow
      const unfit = this.#taken.has(position) ? 'asked before' : unfitOf(fitness)
      return { unfit, isCircuitOpen, contextWindow }
    })
  }

  #remember(fitness: Fitness, { provider }: ChainEntry): void {
    if (fitness.kind === 'unconfigured') this.#unconfigured ??= provider
    if (fitness.kind === 'refused') this.#refusal ??= new GatewayError(fitness.code, fitness.message)
  }
}

const INVALID = 'invalid'

function unfitOf(fitness: Fitness): string | null {
  if (fitness.kind === 'usable') return null
  return fitness.kind === 'invalid' ? INVALID : fitness.reason
}
