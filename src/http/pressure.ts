import { eventLoopUtilization } from 'node:perf_hooks'

/**
 * How many calls one turn of the event loop may take, so that those taken are answered soon; the others are turned away.
 * What has arrived waits until the loop has been once around, and each further step of a call waits for another turn: a
 * call takes a few times as long as a turn, and a turn as long as the calls that it takes. So a limit on the calls of one
 * turn is a limit on the time of each call. Nothing has to be steered: the loop is never idle for it, the more comes, the
 * more is left over, and when less comes, nothing is. Few at a time is also the cheapest: with thousands of calls begun
 * and none finished, collecting garbage takes a third of the core.
 *
 * The limit is low while there is more to do than can be done, which shows in a loop that never waits. A long turn does not
 * show it: that is a burst, a collection of garbage or a slow moment of the machine, and all of it is served in time.
 * Nor do the calls in progress: most of them wait for a provider.
 */
export class Pressure {
  callsPerTurn = MOST_IN_A_BURST
  /** Of the last moments, the older the less. */
  #busyShare = 0
  readonly #memoryMs: number

  /** For about so long a loop that was half busy may go without a pause. */
  constructor(patienceMs: number) {
    this.#memoryMs = patienceMs / Math.log(0.5 / (1 - MOST_BUSY))
  }

  /** What the loop did since the last time: it worked, or it waited for something to do. */
  observe(busyMs: number, idleMs: number): void {
    const passedMs = busyMs + idleMs
    if (passedMs <= 0) return
    // However long one turn was, it says no more than this.
    const countedMs = Math.min(passedMs, this.#memoryMs)
    this.#busyShare += (1 - Math.exp(-countedMs / this.#memoryMs)) * (busyMs / passedMs - this.#busyShare)
    this.callsPerTurn = this.#busyShare > MOST_BUSY ? MOST_WHEN_BUSY : MOST_IN_A_BURST
  }
}

const MOST_BUSY = 0.95
/** About 15 ms of work. Whoever has no more connections than these is never turned away. */
export const MOST_WHEN_BUSY = 128
/** Some 150 ms of work: a thousand callers who come at once are served, and that there is too much to do shows by then. */
export const MOST_IN_A_BURST = 1_024

const TICK_MS = 20

/** Watches the loop of this thread as long as the process lives. To be asked for every call: whether it is taken. */
export function watchPressure(patienceMs: number): () => boolean {
  const pressure = new Pressure(patienceMs)
  let last = eventLoopUtilization()
  setInterval(() => {
    const current = eventLoopUtilization()
    pressure.observe(current.active - last.active, current.idle - last.idle)
    last = current
  }, TICK_MS).unref()
  let ofThisTurn = 0
  const endTurn = () => {
    ofThisTurn = 0
  }
  return () => {
    if (ofThisTurn >= pressure.callsPerTurn) return false
    // Runs when everything that could be read in this turn has been.
    if (ofThisTurn === 0) setImmediate(endTurn)
    ofThisTurn += 1
    return true
  }
}
