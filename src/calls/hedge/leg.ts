import type { Presence } from '../../domain/presence.ts'

/** One of two entries that are asked for the same call: it can be ended without the caller leaving. */
export class Leg implements Presence {
  left = false
  /** The other one has answered: nothing more is sent. */
  isLost = false
  readonly #listeners = new Set<() => void>()

  onLeave(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Ends what is in progress at its provider. */
  cut(): void {
    if (this.left) return
    this.isLost = true
    this.left = true
    for (const listener of this.#listeners) listener()
    this.#listeners.clear()
  }
}

/** There while both are. */
export function both(a: Presence, b: Presence | null): Presence {
  if (b === null) return a
  return {
    get left() {
      return a.left || b.left
    },
    onLeave(listener) {
      let isDone = false
      const tell = () => {
        if (isDone) return
        isDone = true
        listener()
      }
      const stops = [a.onLeave(tell), b.onLeave(tell)]
      return () => {
        for (const stop of stops) stop()
      }
    },
  }
}
