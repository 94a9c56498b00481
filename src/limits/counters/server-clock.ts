/**
 * The server's time as far as it is known; never goes back and never runs ahead, so that no call is counted in a period
 * that has not begun there.
 */
export class ServerClock {
  readonly #own: () => number
  #latest = 0
  /** The server's clock at a moment of ours: it is never behind this, and hardly ahead. */
  #server = { at: 0, tick: 0 }

  /** `own`: Unix milliseconds of this machine. */
  constructor(own: () => number) {
    this.#own = own
  }

  now(): number {
    const known = this.#server.at === 0 ? this.#own() : this.#server.at + performance.now() - this.#server.tick
    this.#latest = Math.max(this.#latest, Math.floor(known))
    return this.#latest
  }

  heard(at: number): void {
    // Until now it was the clock of this machine, which may be ahead.
    if (this.#server.at === 0) this.#latest = 0
    this.#server = { at, tick: performance.now() }
  }
}
