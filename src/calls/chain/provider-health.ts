import type { Failure } from '../../domain/failure.ts'
import type { ProviderHealth } from '../../domain/gateway-status.ts'
import type { ChainEntry } from '../../domain/route.ts'
import type { Snapshot } from '../../domain/snapshot.ts'

/** The recent behaviour of the providers, in this process's memory. */
export interface ProviderHealths {
  succeeded(entry: ChainEntry): void
  failed(entry: ChainEntry, failure: Failure, requestId: string): void
  of(provider: string): ProviderHealth
}

const SLOT_MS = 10_000
/** Five minutes, including the current slot. */
const SLOTS = 30
/** Bounds the memory: callers may send anything as a direct model id. */
const LONGEST_MODEL = 200

const UNSEEN: ProviderHealth = { recentCalls: 0, recentErrors: 0, lastSuccessAt: null, lastError: null }

/** A ring of slots, each with the period that it counts: no allocation and no timer. */
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

/** Memory is bounded by the existing providers: a deleted one is dropped when the next one appears. */
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
      // A failure that no other entry could avoid is the caller's mistake: the provider is healthy.
      const isError = failure.next === 'any'
      recorder.count(at, isError)
      if (!isError) return
      const { code, status, message } = failure
      recorder.lastError = { at, model: entry.model.slice(0, LONGEST_MODEL), code, status, message, requestId }
    },
    of: (provider) => recorders.get(provider)?.read(now()) ?? UNSEEN,
  }
}
