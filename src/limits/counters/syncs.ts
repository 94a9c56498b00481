import { readSync, type SyncAnswer, type Views } from './answers.ts'
import type { Connection } from './connection.ts'
import type { LeasedCall } from './leased-scope.ts'
import type { Leases } from './leases.ts'
import { type Message, syncArguments, type WaitingCall } from './message.ts'
import type { Reports } from './reports.ts'
import { SYNC } from './scripts/sync.ts'

/** What became of a call that had to ask. */
export type Asked =
  | { kind: 'admitted'; call: LeasedCall; views: Views; at: number }
  | { kind: 'refused'; views: Views; at: number }
  /** The counters did not answer in time. */
  | { kind: 'away' }

interface PendingCall {
  call: WaitingCall
  late: NodeJS.Timeout
  done(asked: Asked): void
}

interface Sent {
  message: Message
  waiting: PendingCall[]
  /** How many asked before it for a full report. */
  flushes: number
}

export interface SyncOptions {
  connection(): Connection
  leases: Leases
  reports: Reports
  node: string
  /** A call waits no longer than this. */
  waitMs: number
  onAnswer(answer: SyncAnswer): void
  /** The server has no ledger, or does not know this process; `isBehind`: it knew more before. */
  onLost(isBehind: boolean): void
  /** The position in the spool up to which the counters know everything. */
  onReported(position: number): void
  /** Unix milliseconds of the server, as far as it is known. */
  now(): number
  /** Milliseconds, for tests; '' uses the server's clock. */
  clock(): string
}

/** Everything is reported this often. */
const FULL_MS = 1_000
/** How often a node with idle leases checks whether others want them back. */
const RECALL_MS = 50
const URGENT_MS = 5
/** By now every live node has been asked to return its leases: a call that still waits, waits for a dead one. */
const URGENT_TIMES = RECALL_MS / URGENT_MS
const RETRY_MS = 100

/** Carries messages between the leases and the counters: one at a time, repeated until it is answered. */
export class Syncs {
  readonly #options: SyncOptions
  #waiting: PendingCall[] = []
  /** The message on its way, with the calls that wait for it. */
  #sent: Sent | null = null
  #isBusy = false
  #isOn = false
  #timer: NodeJS.Timeout | null = null
  #dueAt = 0
  #fullAt = 0
  /** How many answers in a row asked for a retry. */
  #askedAgain = 0
  #heardAt = performance.now()
  #sentAt = 0
  /** Since when the server has not answered; null: it answers. */
  #awaySince: number | null = performance.now()
  #flushed: { done(isReported: boolean): void }[] = []
  #problem: string | null = null

  constructor(options: SyncOptions) {
    this.#options = options
  }

  /** Why the last message was not answered; null: it was. */
  get problem(): string | null {
    return this.#problem
  }

  /** When the counters last answered. */
  get heardAt(): number {
    return this.#heardAt
  }

  /** From now on the leases are those of a ledger that this process has joined. */
  start(): void {
    this.#isOn = true
    this.#plan(0)
  }

  /** The counters have been away for so long that no call waits for them. */
  isGivenUp(): boolean {
    return this.#awaySince !== null && performance.now() - this.#awaySince > this.#options.waitMs
  }

  /**
   * The connection or the ledger is lost; calls wait for its return. With `forgets` what was sent will never be
   * answered.
   */
  pause(forgets: boolean): void {
    this.#isOn = false
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    this.#noteAway()
    if (!forgets || this.#sent === null) return
    this.#waiting.unshift(...this.#sent.waiting.filter(({ call }) => !call.isLeft))
    for (const { call } of this.#waiting) call.isAsked = false
    this.#sent = null
  }

  /** For good: waiting calls are released. */
  stop(): void {
    this.pause(true)
    for (const each of [...this.#waiting]) this.#leave(each)
  }

  /** A call for which the lease does not suffice. Those of one turn of the event loop are asked for together. */
  ask(call: WaitingCall): Promise<Asked> {
    return new Promise((done) => {
      const waiting: PendingCall = { call, done, late: setTimeout(() => this.#leave(waiting), this.#options.waitMs) }
      this.#waiting.push(waiting)
      this.#plan(0)
    })
  }

  /** Something has changed: urgent changes are reported soon. */
  changed(): void {
    if (this.#options.leases.urgent.size > 0) this.#plan(URGENT_MS)
  }

  /** Resolves when everything that is known by now is reported; false: the counters are down. */
  flush(): Promise<boolean> {
    if (!this.#isOn) return Promise.resolve(false)
    return new Promise((done) => {
      this.#flushed.push({ done })
      this.#fullAt = 0
      this.#plan(0)
    })
  }

  #plan(ms: number): void {
    if (!this.#isOn || this.#isBusy) return
    const dueAt = performance.now() + ms
    if (this.#timer !== null && this.#dueAt <= dueAt) return
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#dueAt = dueAt
    this.#timer = setTimeout(() => void this.#run(), ms)
    if (this.#waiting.length === 0) this.#timer.unref()
  }

  #planNext(): void {
    const { leases } = this.#options
    if (this.#problem !== null) this.#plan(RETRY_MS)
    else if (this.#waiting.length > 0) this.#plan(this.#waiting.some(({ call }) => !call.isAsked) ? 0 : this.#againMs())
    else if (this.#flushed.length > 0) this.#plan(0)
    else if (leases.urgent.size > 0) this.#plan(URGENT_MS)
    else this.#plan(leases.hasIdle() ? RECALL_MS : FULL_MS)
  }

  #againMs(): number {
    return Math.min(RECALL_MS, URGENT_MS * 2 ** Math.max(0, this.#askedAgain - URGENT_TIMES))
  }

  async #run(): Promise<void> {
    this.#timer = null
    if (this.#isBusy || !this.#isOn) return
    this.#isBusy = true
    try {
      const sent = this.#sent ?? this.#compose()
      this.#sent = sent
      this.#sentAt = performance.now()
      const reply = await this.#send(sent.message)
      if (this.#sent !== sent) return
      if (typeof reply === 'boolean') return this.#options.onLost(reply)
      this.#sent = null
      this.#heardAt = performance.now()
      this.#problem = null
      this.#awaySince = null
      this.#options.onAnswer(reply)
      this.#take(sent, reply)
      this.#options.onReported(sent.message.position)
      if (sent.message.isFull) for (const each of this.#flushed.splice(0, sent.flushes)) each.done(true)
    } catch (error) {
      // It may have arrived: it is sent again as it is. A server that answers with an error (memory full) is as good as none.
      this.#problem = error instanceof Error ? error.message : String(error)
      this.#noteAway()
    } finally {
      this.#isBusy = false
      this.#planNext()
    }
  }

  #compose(): Sent {
    const { reports, now } = this.#options
    const at = performance.now()
    const isFull = at - this.#fullAt >= FULL_MS
    if (isFull) {
      reports.noteUnused(now())
      this.#fullAt = at
    }
    const waiting = this.#waiting
    this.#waiting = []
    for (const { call } of waiting) call.isAsked = true
    const calls = waiting.map(({ call }) => call)
    return { message: reports.compose(calls, isFull, now()), waiting, flushes: this.#flushed.length }
  }

  /** Without an answer, whether the server has lost messages. */
  async #send(message: Message): Promise<SyncAnswer | boolean> {
    const { connection, node, clock } = this.#options
    const answer = await connection().run(SYNC, { ...syncArguments(node, message), clock: clock() })
    return answer.kind === 'taken' ? readSync(answer) : answer.kind === 'behind'
  }

  #take({ message, waiting }: Sent, answer: SyncAnswer): void {
    const admitted = this.#options.reports.apply(message, answer)
    this.#askedAgain = answer.outcomes.some(({ kind }) => kind === 'ask-again') ? this.#askedAgain + 1 : 0
    for (const [index, each] of waiting.entries()) {
      const outcome = answer.outcomes[index]
      const call = admitted[index]
      if (each.call.isLeft || outcome === undefined) continue
      if (outcome.kind === 'ask-again') {
        this.#waiting.push(each)
        continue
      }
      clearTimeout(each.late)
      if (call !== undefined && call !== null)
        each.done({ kind: 'admitted', call, views: outcome.views, at: answer.at })
      else each.done({ kind: 'refused', views: outcome.views, at: answer.at })
    }
  }

  #noteAway(): void {
    this.#awaySince ??= this.#isBusy ? this.#sentAt : performance.now()
    for (const each of this.#flushed.splice(0)) each.done(false)
  }

  #leave(waiting: PendingCall): void {
    clearTimeout(waiting.late)
    waiting.call.isLeft = true
    this.#waiting = this.#waiting.filter((each) => each !== waiting)
    waiting.done({ kind: 'away' })
  }
}
