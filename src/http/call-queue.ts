/** About 15 ms of work. With thousands of calls begun and none finished, collecting garbage takes a third of the core. */
export const CALLS_A_TURN = 128

/** However long one turn was, it counts for no more than this share of the patience. */
const LEAST_TURNS = 4
/** Of the patience: who waits no longer than this while there is too much to do is not behind. */
const TARGET_SHARE = 1 / 20
/** When nothing is behind any more, overload is over so much sooner than it was noticed. */
const RELIEF = 2
/** A queue that became so much shorter within the patience is a burst that is being served. */
const SHRUNK = 7 / 8
/** The first calls of a process cost several times what they cost once it is compiled: there is more patience with them. */
export const YOUNG_CALLS = 5_000
const YOUNG_PATIENCE = 4

interface Waiting<Item> {
  item: Item
  since: number
}

export interface Turn<Item> {
  begun: Item[]
  refused: Item[]
}

/**
 * Which calls begin now, which wait for another turn of the event loop, and which are turned away. Every turn begins as
 * many as it can finish soon, the oldest first; the others wait here, unread, where they cost next to nothing. What waits
 * is served however long a turn was: a slow start, a collection of garbage, a core that others need and a burst all leave a
 * queue that becomes shorter again. Only a queue that never does, while those at its head have waited too long, shows
 * that more comes than can be done. From then on a call is turned away when it has waited for the share of the
 * patience that keeps the calls served quick and has still no place in this turn. Nothing is estimated: waiting is seen.
 */
export class CallQueue<Item> {
  #waiting: Waiting<Item>[] = []
  #taken = 0
  #takenInAll = 0
  #lastTurn = 0
  /** For how long those at the head have waited too long, over the last turns. */
  #behindMs = 0
  #lengthBefore = 0
  /** Stretches of the patience, one after the other, at whose end the queue was no shorter than before. */
  #timesTooLong = 0
  #isOverloaded = false
  readonly #patienceMs: number
  readonly #targetMs: number

  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs
    this.#targetMs = patienceMs * TARGET_SHARE
  }

  /** True: it begins at once, as a rule. False: it has to wait. */
  takes(): boolean {
    if (this.#waiting.length > 0 || this.#taken >= CALLS_A_TURN) return false
    this.#taken += 1
    this.#takenInAll += 1
    return true
  }

  wait(item: Item, now: number): void {
    this.#waiting.push({ item, since: now })
  }

  /** To be called once in each turn in which a call came or waits. */
  nextTurn(now: number): Turn<Item> {
    const turnMs = now - this.#lastTurn
    this.#lastTurn = now
    const begun = this.#waiting.splice(0, CALLS_A_TURN)
    this.#taken = begun.length
    this.#takenInAll += begun.length
    const late = this.#waiting.findIndex(({ since }) => now - since < this.#targetMs)
    const lateCount = late < 0 ? this.#waiting.length : late
    this.#judge(lateCount > 0, turnMs)
    const refused = this.#isOverloaded ? this.#waiting.splice(0, lateCount) : []
    return { begun: begun.map(({ item }) => item), refused: refused.map(({ item }) => item) }
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0
  }

  #judge(isBehind: boolean, turnMs: number): void {
    const patienceMs = this.#patienceMs
    if (!isBehind) {
      this.#behindMs = Math.max(0, this.#behindMs - RELIEF * turnMs)
      if (this.#behindMs > 0) return
      this.#timesTooLong = 0
      this.#isOverloaded = false
      return
    }
    if (this.#behindMs === 0) this.#lengthBefore = this.#waiting.length
    this.#behindMs = Math.min(patienceMs, this.#behindMs + Math.min(turnMs, patienceMs / LEAST_TURNS))
    if (this.#isOverloaded || this.#behindMs < patienceMs) return
    this.#timesTooLong = this.#waiting.length < SHRUNK * this.#lengthBefore ? 0 : this.#timesTooLong + 1
    this.#isOverloaded = this.#timesTooLong >= (this.#takenInAll < YOUNG_CALLS ? YOUNG_PATIENCE : 1)
    if (!this.#isOverloaded) this.#behindMs = 0
  }
}

/** Told at once as a rule, else in a later turn of the event loop; that a call is not taken is never told at once. */
export type Decide = (isTaken: boolean) => void

/** The queue of this thread's event loop. */
export function queueCalls(patienceMs: number): (decide: Decide) => void {
  const queue = new CallQueue<Decide>(patienceMs)
  let isScheduled = false
  const schedule = () => {
    if (isScheduled) return
    isScheduled = true
    // Runs when everything that could be read in this turn has been.
    setImmediate(nextTurn)
  }
  const nextTurn = () => {
    isScheduled = false
    const { begun, refused } = queue.nextTurn(performance.now())
    if (begun.length > 0 || !queue.isEmpty) schedule()
    for (const decide of begun) decide(true)
    for (const decide of refused) decide(false)
  }
  return (decide) => {
    schedule()
    if (queue.takes()) decide(true)
    else queue.wait(decide, performance.now())
  }
}
