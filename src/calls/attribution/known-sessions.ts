/** Bounds on what is remembered. */
export interface KnownBounds {
  /** Callers choose the names, and a million of them must not push out those of other callers. */
  mostOfCaller: number
  most: number
  idleMs: number
}

interface Known<State> {
  state: State
  seenAt: number
}

/**
 * What this thread knows of sessions, in memory: bounded for each caller and in all, the ones not seen for longest
 * forgotten first. Nothing is found under another caller.
 */
export class KnownSessions<State> {
  /** By caller and by session, both in the order in which they were last seen. */
  readonly #callers = new Map<string, Map<string, Known<State>>>()
  readonly #bounds: KnownBounds
  #size = 0

  constructor(bounds: KnownBounds) {
    this.#bounds = bounds
  }

  get size(): number {
    return this.#size
  }

  stateOf(caller: string, session: string): State | null {
    return this.#callers.get(caller)?.get(session)?.state ?? null
  }

  keep(caller: string, session: string, state: State, now: number): void {
    const { most, mostOfCaller } = this.#bounds
    const sessions = this.#callers.get(caller) ?? new Map<string, Known<State>>()
    this.#callers.delete(caller)
    this.#callers.set(caller, sessions)
    if (!sessions.delete(session)) this.#size++
    sessions.set(session, { state, seenAt: now })
    if (sessions.size > mostOfCaller) this.#dropOldest(caller, sessions)
    while (this.#size > 1 && (this.#size > most || this.#isOldestIdle(now))) {
      const [oldest, its] = this.#callers.entries().next().value as [string, Map<string, Known<State>>]
      this.#dropOldest(oldest, its)
    }
  }

  /** All but one of a caller. */
  *othersOf(caller: string, session: string): Generator<State> {
    for (const [name, { state }] of this.#callers.get(caller) ?? []) if (name !== session) yield state
  }

  #isOldestIdle(now: number): boolean {
    const [sessions] = this.#callers.values()
    const [oldest] = sessions?.values() ?? []
    return oldest !== undefined && now - oldest.seenAt > this.#bounds.idleMs
  }

  #dropOldest(caller: string, sessions: Map<string, Known<State>>): void {
    const [oldest] = sessions.keys()
    if (oldest !== undefined && sessions.delete(oldest)) this.#size--
    if (sessions.size === 0) this.#callers.delete(caller)
  }
}
