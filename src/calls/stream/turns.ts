/**
 * Of provider streams, for one turn of the event loop: about a millisecond of work. libuv accepts one connection a
 * turn, so a client that connects behind a thousand others waits for a thousand turns.
 */
export const BYTES_A_TURN = 32 * 1024

interface QueuedRead {
  bytes: number
  begin(): void
}

/**
 * Streams share each turn of the event loop with everything else. A socket that always has more to read, and a caller
 * whose connection always has room, would go on within one turn: health checks and other calls would wait for all of
 * them. What does not fit into a turn waits for the next one, in order. Below the bound nothing is scheduled.
 */
export class Turns {
  #used = 0
  #waiting: QueuedRead[] = []
  readonly #schedule: (turn: () => void) => void

  constructor(schedule: (turn: () => void) => void = setImmediate) {
    this.#schedule = schedule
  }

  /** Null: go on. */
  wait(bytes: number): Promise<void> | null {
    this.#used += bytes
    if (this.#used <= BYTES_A_TURN) return null
    return new Promise((begin) => {
      this.#waiting.push({ bytes, begin })
      if (this.#waiting.length === 1) this.#schedule(this.#next)
    })
  }

  #next = (): void => {
    let count = 0
    this.#used = 0
    while (count < this.#waiting.length && this.#used < BYTES_A_TURN) this.#used += this.#waiting[count++]?.bytes ?? 0
    const begun = this.#waiting.splice(0, count)
    // Readers that arrive before the next turn queue behind the waiting ones.
    if (this.#waiting.length > 0) this.#used = Number.POSITIVE_INFINITY
    if (this.#waiting.length > 0) this.#schedule(this.#next)
    for (const { begin } of begun) begin()
  }
}

/** Of this thread. */
export const TURNS = new Turns()
