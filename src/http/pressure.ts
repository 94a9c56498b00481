/**
 * How much of what arrives must be turned away so that what is taken is answered soon. The measure is how long one turn
 * of the event loop takes: every call needs a handful of turns, so its delay is a few times that, and whoever has not
 * been read yet waits longer still. One long turn says nothing (a burst, a collection of garbage); when no turn of the
 * last 300 ms was short, there is more to do than can be done, and taking yet more would only make all of it late.
 */
export class Pressure {
  /** 0 takes everything, 1 nothing. */
  share = 0
  #owed = 0
  #longSince: number | null = null
  #last: number
  readonly #longTurnMs: number

  constructor(now: number, longTurnMs: number) {
    this.#last = now
    this.#longTurnMs = longTurnMs
  }

  /** To be called every `TICK_MS`; how late it comes, in milliseconds, is the measure. */
  tick(now: number): number {
    const late = Math.max(0, now - this.#last - TICK_MS)
    this.#last = now
    if (late < this.#longTurnMs / 2) {
      this.#longSince = null
      this.share = Math.max(0, this.share - EASE)
    } else if (late > this.#longTurnMs) {
      this.#longSince ??= now
      if (now - this.#longSince >= PATIENCE_MS) this.share = Math.min(MOST, this.share + PRESS)
    }
    return late
  }

  /** Whether the next call is to be turned away: as many as the share says, evenly spread. */
  turnsAway(): boolean {
    if (this.share === 0) return false
    this.#owed += this.share
    if (this.#owed < 1) return false
    this.#owed -= 1
    return true
  }
}

export const TICK_MS = 20
const PATIENCE_MS = 300
/** Never all: some must be served for it to be seen that the time is over. */
const MOST = 0.95
/** Up by a twentieth for each long turn, down by a fiftieth for each short one: from the most to nothing in a second. */
const PRESS = 0.05
const EASE = 0.02

/** Watches the loop of this thread as long as the process lives; with 0 no turn is long. */
export function watchPressure(longTurnMs: number, onTick: (lateMs: number) => void): Pressure {
  const pressure = new Pressure(performance.now(), longTurnMs > 0 ? longTurnMs : Number.POSITIVE_INFINITY)
  setInterval(() => onTick(pressure.tick(performance.now())), TICK_MS).unref()
  return pressure
}
