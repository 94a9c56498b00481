import type { StoreLog } from '../../store/engine/store-error.ts'
import type { Spool } from './spool.ts'

/** How far the fold has come. */
interface FoldProgress {
  readonly foldedSeq: number
  readonly lagRows: number
}

/** Records numbered above `after` were written at `at` or later. */
interface Mark {
  after: number
  at: number
}

const MARK_MS = 1_000
export const MOST_MARKS = 1_000
const WARN_SHARE = 0.8

export interface BacklogOptions {
  /** More records than this wait for no database: new calls are refused. */
  maxRows: number
  log: StoreLog
}

/** What the spool holds and the database does not: how much, since when, and whether there is room for more. */
export class Backlog {
  readonly maxRows: number
  readonly #log: StoreLog
  readonly #spool: Pick<Spool, 'lastSeq'>
  readonly #fold: FoldProgress
  readonly #now: () => number
  #marks: Mark[] = []
  #everyMs = MARK_MS
  #lastSeq = 0
  /** What has been said of it. */
  #said: 'nothing' | 'filling' | 'full' = 'nothing'

  constructor(
    options: BacklogOptions,
    spool: Pick<Spool, 'lastSeq'>,
    fold: FoldProgress,
    now = () => performance.now(),
  ) {
    this.maxRows = options.maxRows
    this.#log = options.log
    this.#spool = spool
    this.#fold = fold
    this.#now = now
  }

  /** Records have become durable. */
  committed(): void {
    const now = this.#now()
    const newest = this.#marks.at(-1)
    if (newest === undefined || now - newest.at >= this.#everyMs) this.#mark(now)
    this.#lastSeq = this.#spool.lastSeq
    this.#tell()
  }

  /** Asked for every call: two subtractions. Calls in flight still write their end. */
  isFull(): boolean {
    if (this.#fold.lagRows < this.maxRows) return false
    this.#tell()
    return true
  }

  /** Age of the oldest record that the database does not have, to within a second; of a long outage some thousandths. */
  lagSeconds(): number {
    this.#forgetFolded()
    const [oldest] = this.#marks
    return oldest === undefined ? 0 : (this.#now() - oldest.at) / 1000
  }

  /** How many moments are remembered. */
  get marks(): number {
    return this.#marks.length
  }

  #mark(now: number): void {
    this.#forgetFolded()
    if (this.#marks.length >= MOST_MARKS) this.#thin()
    this.#marks.push({ after: this.#lastSeq, at: now })
  }

  /** A long outage needs no exact time of each of its seconds: of every two marks the older one stays, from now on. */
  #thin(): void {
    this.#marks = this.#marks.filter((_mark, index) => index % 2 === 0)
    this.#everyMs *= 2
  }

  #forgetFolded(): void {
    const { foldedSeq } = this.#fold
    if (this.#fold.lagRows === 0) {
      this.#marks = []
      this.#everyMs = MARK_MS
      return
    }
    const first = this.#marks.findLastIndex((mark) => mark.after <= foldedSeq)
    if (first > 0) this.#marks = this.#marks.slice(first)
  }

  #tell(): void {
    const { lagRows } = this.#fold
    const { maxRows } = this
    const state = lagRows >= maxRows ? 'full' : lagRows >= WARN_SHARE * maxRows ? 'filling' : 'nothing'
    if (state === this.#said) return
    const figures = { lagRows, maxRows }
    if (state === 'full')
      this.#log.error(figures, 'the spool is full: calls are refused until the database has caught up')
    else if (state === 'filling' && this.#said === 'nothing') this.#log.warn(figures, 'the spool is filling up')
    else if (state === 'nothing') this.#log.info(figures, 'the spool has room again')
    // Once it is full it is called so until it has emptied well below: around the bound it would be said with every call.
    if (state !== 'filling' || this.#said === 'nothing') this.#said = state
  }
}
