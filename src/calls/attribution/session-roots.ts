import type { SessionRoots } from '../../endpoints/call-names.ts'

/** Sessions whose root is remembered; of the one not seen for longest it is forgotten first. */
const MOST = 10_000

/**
 * Remembers which session began the chain of sessions that started each other, for agents that name only the one
 * before. Each caller has its own: a name that another key uses means nothing here.
 */
export class KnownRoots implements SessionRoots {
  readonly #roots = new Map<string, string>()

  started(session: string, parent: string, keyId: string): string {
    const root = this.#roots.get(`${keyId} ${parent}`) ?? parent
    // A caller may claim that a session has started its own root.
    if (root === session) return parent
    const name = `${keyId} ${session}`
    this.#roots.delete(name)
    this.#roots.set(name, root)
    if (this.#roots.size > MOST) this.#roots.delete(this.#roots.keys().next().value as string)
    return root
  }
}
