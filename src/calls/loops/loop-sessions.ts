import type { LoopState } from '../../domain/loops/session-state.ts'
import { usualUsd } from '../../domain/loops/usual.ts'

/** Of one key: callers choose the names, and a million of them must not push out those of other keys. */
export const MOST_OF_KEY = 1_000
export const MOST_IN_ALL = 20_000
const IDLE_MS = 86_400_000

interface Known {
  state: LoopState
  seenAt: number
}

/**
 * What this thread knows of sessions, in memory: bounded for each key and in all, the ones not seen for longest
 * forgotten first. Nothing is found under another key.
 */
export class LoopSessions {
  /** By key and by session, both in the order in which they were last seen. */
  readonly #keys = new Map<string, Map<string, Known>>()
  readonly #most: number
  #size = 0

  constructor(most = MOST_IN_ALL) {
    this.#most = most
  }

  get size(): number {
    return this.#size
  }

  stateOf(keyId: string, session: string): LoopState | null {
    return this.#keys.get(keyId)?.get(session)?.state ?? null
  }

  keep(keyId: string, session: string, state: LoopState, now: number): void {
    const sessions = this.#keys.get(keyId) ?? new Map<string, Known>()
    this.#keys.delete(keyId)
    this.#keys.set(keyId, sessions)
    if (!sessions.delete(session)) this.#size++
    sessions.set(session, { state, seenAt: now })
    if (sessions.size > MOST_OF_KEY) this.#dropOldest(keyId, sessions)
    while (this.#size > 1 && (this.#size > this.#most || this.#isOldestIdle(now))) {
      const [oldest, its] = this.#keys.entries().next().value as [string, Map<string, Known>]
      this.#dropOldest(oldest, its)
    }
  }

  /** What the other sessions of a key usually spend in a minute; null: too few are known. */
  usualUsd(keyId: string, session: string): number | null {
    return usualUsd(this.#othersOf(keyId, session))
  }

  *#othersOf(keyId: string, session: string): Generator<LoopState> {
    for (const [name, { state }] of this.#keys.get(keyId) ?? []) if (name !== session) yield state
  }

  #isOldestIdle(now: number): boolean {
    const [sessions] = this.#keys.values()
    const [oldest] = sessions?.values() ?? []
    return oldest !== undefined && now - oldest.seenAt > IDLE_MS
  }

  #dropOldest(keyId: string, sessions: Map<string, Known>): void {
    const [oldest] = sessions.keys()
    if (oldest !== undefined && sessions.delete(oldest)) this.#size--
    if (sessions.size === 0) this.#keys.delete(keyId)
  }
}
