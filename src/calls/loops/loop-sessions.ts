import type { LoopState } from '../../domain/loops/session-state.ts'
import { usualUsd } from '../../domain/loops/usual.ts'

/** They choose the names, and a million of them must not push out those of other callers. */
export const MOST_OF_CALLER = 1_000
export const MOST_IN_ALL = 20_000
const IDLE_MS = 86_400_000

interface Known {
  state: LoopState
  seenAt: number
}

/**
 * What this thread knows of sessions, in memory: bounded for each caller and in all, the ones not seen for longest
 * forgotten first. Nothing is found under another caller.
 */
export class LoopSessions {
  /** By caller and by session, both in the order in which they were last seen. */
  readonly #callers = new Map<string, Map<string, Known>>()
  readonly #most: number
  #size = 0

  constructor(most = MOST_IN_ALL) {
    this.#most = most
  }

  get size(): number {
    return this.#size
  }

  stateOf(caller: string, session: string): LoopState | null {
    return this.#callers.get(caller)?.get(session)?.state ?? null
  }

  keep(caller: string, session: string, state: LoopState, now: number): void {
    const sessions = this.#callers.get(caller) ?? new Map<string, Known>()
    this.#callers.delete(caller)
    this.#callers.set(caller, sessions)
    if (!sessions.delete(session)) this.#size++
    sessions.set(session, { state, seenAt: now })
    if (sessions.size > MOST_OF_CALLER) this.#dropOldest(caller, sessions)
    while (this.#size > 1 && (this.#size > this.#most || this.#isOldestIdle(now))) {
      const [oldest, its] = this.#callers.entries().next().value as [string, Map<string, Known>]
      this.#dropOldest(oldest, its)
    }
  }

  /** What the other sessions of a caller usually spend in a minute; null: too few are known. */
  usualUsd(caller: string, session: string): number | null {
    return usualUsd(this.#othersOf(caller, session))
  }

  *#othersOf(caller: string, session: string): Generator<LoopState> {
    for (const [name, { state }] of this.#callers.get(caller) ?? []) if (name !== session) yield state
  }

  #isOldestIdle(now: number): boolean {
    const [sessions] = this.#callers.values()
    const [oldest] = sessions?.values() ?? []
    return oldest !== undefined && now - oldest.seenAt > IDLE_MS
  }

  #dropOldest(caller: string, sessions: Map<string, Known>): void {
    const [oldest] = sessions.keys()
    if (oldest !== undefined && sessions.delete(oldest)) this.#size--
    if (sessions.size === 0) this.#callers.delete(caller)
  }
}
