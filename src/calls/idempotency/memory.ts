import { type ClaimedCall, IDEMPOTENCY_MS } from '../../domain/idempotency.ts'
import type { Reply } from '../../http/call.ts'

export interface MemoryBounds {
  /** Bytes of bodies and headers that are kept for replay. */
  outcomeBytes: number
  /** Number of finished calls that are remembered, with or without an outcome. */
  identities: number
}

export interface PastCall extends ClaimedCall {
  state: 'answered' | 'uncertain'
  /** Unix milliseconds. */
  startedAt: number
}

/** What one outcome takes besides its body. */
const OVERHEAD_BYTES = 1024

/**
 * Finished calls that must not be repeated, oldest first, and the outcomes of some of them, least recently used first.
 * A dropped call is still in the request log; only its outcome is lost.
 */
export class IdempotencyMemory {
  readonly #bounds: MemoryBounds
  readonly #calls = new Map<string, PastCall>()
  readonly #outcomes = new Map<string, { reply: Reply; bytes: number }>()
  #bytes = 0

  constructor(bounds: MemoryBounds) {
    this.#bounds = bounds
  }

  find(identity: string, now: number): PastCall | null {
    this.#expire(now)
    const call = this.#calls.get(identity)
    return call === undefined || isExpired(call, now) ? null : call
  }

  /** Null when it was dropped to make room. */
  outcome(identity: string): Reply | null {
    const kept = this.#outcomes.get(identity)
    if (kept === undefined) return null
    this.#outcomes.delete(identity)
    this.#outcomes.set(identity, kept)
    return kept.reply
  }

  keep(identity: string, call: PastCall, reply: Reply | null): void {
    this.#forget(identity)
    this.#calls.set(identity, call)
    if (reply !== null) this.#keepOutcome(identity, reply)
    for (const oldest of this.#calls.keys()) {
      if (this.#calls.size <= this.#bounds.identities) break
      this.#forget(oldest)
    }
  }

  #keepOutcome(identity: string, reply: Reply): void {
    const bytes = Buffer.byteLength(reply.body) + OVERHEAD_BYTES
    // An outcome that never fits must not evict all the others.
    if (bytes > this.#bounds.outcomeBytes) return
    this.#outcomes.set(identity, { reply, bytes })
    this.#bytes += bytes
    for (const leastUsed of this.#outcomes.keys()) {
      if (this.#bytes <= this.#bounds.outcomeBytes) break
      this.#dropOutcome(leastUsed)
    }
  }

  /** Roughly in order of age, so checking the first ones is enough. */
  #expire(now: number): void {
    for (const [identity, call] of this.#calls) {
      if (!isExpired(call, now)) break
      this.#forget(identity)
    }
  }

  #forget(identity: string): void {
    this.#calls.delete(identity)
    this.#dropOutcome(identity)
  }

  #dropOutcome(identity: string): void {
    const kept = this.#outcomes.get(identity)
    if (kept === undefined) return
    this.#outcomes.delete(identity)
    this.#bytes -= kept.bytes
  }
}

function isExpired(call: PastCall, now: number): boolean {
  return now - call.startedAt >= IDEMPOTENCY_MS
}
