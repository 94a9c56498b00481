/** Few enough to finish soon: with thousands of unfinished calls, garbage collection takes much of the CPU. */
export const CALLS_A_TURN = 128

/** One turn counts for no more than this part of the patience, however long it was. */
const LEAST_TURNS = 4
/** Of the patience: calls that wait no longer than this are not late. */
const TARGET_SHARE = 1 / 20
/** Once no call is late, overload ends this much faster than it was detected. */
const RELIEF = 2
/** A queue that shrank to this share within the patience is a burst that is being served. */
const SHRUNK = 7 / 8
/** The first calls of a process are several times slower, until the code is compiled: they get more patience. */
export const YOUNG_CALLS = 5_000
const YOUNG_PATIENCE = 4

interface QueuedCall<Item> {
  item: Item
  since: number
}

export interface Turn<Item> {
  begun: Item[]
  refused: Item[]
}

/**
 * Decides which calls begin now, which wait for another turn of the event loop, and which are refused. Each turn begins as
 * many as it can finish soon, oldest first; the others wait unread, which costs almost nothing. A slow start, a garbage
 * collection, a busy machine and a burst all leave a queue that shrinks again, and everything in it is served. Only a queue
 * that does not shrink while its head waits too long shows overload. From then on, calls that have waited for the target
 * time and do not fit into this turn are refused. Nothing is estimated: waiting times are measured.
 */
export class CallQueue<Item> {
  #waiting: QueuedCall<Item>[] = []
  #taken = 0
  #takenInAll = 0
  #lastTurn = 0
  /** For how long calls have been late, over the last turns. */
  #behindMs = 0
  #lengthBefore = 0
  /** Consecutive periods of patience in which the queue did not shrink. */
  #timesTooLong = 0
  #isOverloaded = false
  readonly #patienceMs: number
  readonly #targetMs: number

  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs
    this.#targetMs = patienceMs * TARGET_SHARE
  }

  /** False: the call has to wait. */
  takes(): boolean {
    if (this.#waiting.length > 0 || this.#taken >= CALLS_A_TURN) return false
    this.#taken += 1
    this.#takenInAll += 1
    return true
  }

  wait(item: Item, now: number): void {
    this.#waiting.push({ item, since: now })
  }

  /** Called once in each turn in which a call arrived or waits. */
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

/** Usually called at once, else in a later turn of the event loop; never at once for a refused call. */
export type Decide = (isTaken: boolean) => void

/** The queue of this thread's event loop. */
export function queueCalls(patienceMs: number): (decide: Decide) => void {
  const queue = new CallQueue<Decide>(patienceMs)
  let isScheduled = false
  const schedule = () => {
    if (isScheduled) return
    isScheduled = true
    // Runs after everything that can be read in this turn was read.
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
