/** Sub-agents that start sub-agents: followed so far up. */
const MOST_LEVELS = 8
/** Names of agents that are remembered: the oldest are forgotten first. */
const MOST_AGENTS = 50_000

/**
 * Which agent started which, as calls have named it: a call names its parent alone. Claims of callers: a circle ends where
 * it closes, and what one key says is known of its own sessions only.
 */
export class KnownParents {
  readonly #parents = new Map<string, string>()
  readonly #most: number

  constructor(most = MOST_AGENTS) {
    this.#most = most
  }

  /** The agents above this one, nearest first; the first that was named as its parent stays it. */
  ancestors(keyId: string, session: string | null, agent: string | null, parent: string | null): readonly string[] {
    if (agent === null) return NONE
    const place = `${keyId}\n${session ?? ''}\n`
    const known = this.#parents.get(place + agent)
    if (known === undefined && parent === null) return NONE
    if (known === undefined) this.#learn(place + agent, parent as string)
    const found: string[] = []
    let above = known ?? parent
    while (
      above != null &&
      above !== agent &&
      above !== session &&
      !found.includes(above) &&
      found.length < MOST_LEVELS
    ) {
      found.push(above)
      above = this.#parents.get(place + above) ?? null
    }
    return found
  }

  get size(): number {
    return this.#parents.size
  }

  #learn(agent: string, parent: string): void {
    if (this.#parents.size >= this.#most) {
      const [oldest] = this.#parents.keys()
      if (oldest !== undefined) this.#parents.delete(oldest)
    }
    this.#parents.set(agent, parent)
  }
}

const NONE: readonly string[] = []
