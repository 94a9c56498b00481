import type { Failure } from '../../domain/failure.ts'
import type { ProviderHealth } from '../../domain/gateway-status.ts'
import type { ChainEntry } from '../../domain/route.ts'
import type { Snapshot } from '../../domain/snapshot.ts'

/** How the providers have behaved lately, in the memory of this process. */
export interface ProviderHealths {
  succeeded(entry: ChainEntry): void
  failed(entry: ChainEntry, failure: Failure, requestId: string): void
  of(provider: string): ProviderHealth
}

const SLOT_MS = 10_000
/** Five minutes, the slot that is being filled included. */
const SLOTS = 30
/** Callers may type anything as a direct model id. */
const LONGEST_MODEL = 200

const UNSEEN: ProviderHealth = { recentCalls: 0, recentErrors: 0, lastSuccessAt: null, lastError: null }

/** A ring of slots, each knowing which ten seconds it counts: nothing is allocated and no timer runs to keep it. */
class Recorder {
  readonly #times = new Float64Array(SLOTS)
  readonly #calls = new Uint32Array(SLOTS)
  readonly #errors = new Uint32Array(SLOTS)
  lastSuccessAt: number | null = null
  lastError: ProviderHealth['lastError'] = null

  count(now: number, isError: boolean): void {
    const time = Math.floor(now / SLOT_MS)
    const slot = time % SLOTS
    if (this.#times[slot] !== time) {
      this.#times[slot] = time
      this.#calls[slot] = 0
      this.#errors[slot] = 0
    }
    this.#calls[slot] = (this.#calls[slot] ?? 0) + 1
    if (isError) this.#errors[slot] = (this.#errors[slot] ?? 0) + 1
  }

  read(now: number): ProviderHealth {
    const oldest = Math.floor(now / SLOT_MS) - SLOTS + 1
    let recentCalls = 0
    let recentErrors = 0
    for (const [slot, time] of this.#times.entries()) {
      if (time < oldest) continue
      recentCalls += this.#calls[slot] ?? 0
      recentErrors += this.#errors[slot] ?? 0
    }
    return { recentCalls, recentErrors, lastSuccessAt: this.lastSuccessAt, lastError: this.lastError }
  }
}

/** Memory is bounded by the providers there are: one that is deleted is forgotten when the next one is met. */
export function createProviderHealth(now: () => number, snapshot: () => Snapshot): ProviderHealths {
  const recorders = new Map<string, Recorder>()

  function recorderOf({ provider }: ChainEntry): Recorder {
    const known = recorders.get(provider)
    if (known !== undefined) return known
    for (const name of recorders.keys()) if (!snapshot().providers.has(name)) recorders.delete(name)
    const fresh = new Recorder()
    recorders.set(provider, fresh)
    return fresh
  }

  return {
    succeeded(entry) {
      const recorder = recorderOf(entry)
      const at = now()
      recorder.count(at, false)
      recorder.lastSuccessAt = at
    },
    failed(entry, failure, requestId) {
      const recorder = recorderOf(entry)
      const at = now()
      // What no other entry could serve is the caller's mistake: the provider is well.
      const isError = failure.next === 'any'
      recorder.count(at, isError)
      if (!isError) return
      const { code, status, message } = failure
      recorder.lastError = { at, model: entry.model.slice(0, LONGEST_MODEL), code, status, message, requestId }
    },
    of: (provider) => recorders.get(provider)?.read(now()) ?? UNSEEN,
  }
}
