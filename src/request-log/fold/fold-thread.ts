import { Worker } from 'node:worker_threads'
import { DatabaseAwayError } from '../../store/engine/database-away.ts'
import type { StoreLog } from '../../store/engine/store-error.ts'
import { Conversation, ended, workerProgram } from '../../threads/conversation.ts'
import { BATCH_RECORDS, type Damage } from '../spool/reader.ts'
import type { Spool } from '../spool/spool.ts'
import type { FoldReport, FoldSettings, FoldTasks, FoldThreadTasks } from './fold-protocol.ts'
import type { Position } from './position.ts'

const RESTART_MS = 1_000
/** So soon other nodes find a call that they must know of. */
const KNOWN_WITHIN_MS = 100
/** The longest wait of a read of fresh rows while the database is down. */
const LONGEST_WAIT_MS = 30_000

export function tellDamage(log: StoreLog, damage: Damage): void {
  log.error({ ...damage }, 'the end of a spool file cannot be read: the file is kept as .damaged')
}

/** A read that waits until the database has everything up to a record. */
interface Reader {
  seq: number
  resolve(): void
}

/** The main thread's end of the fold worker, which moves the spool into the database. */
export class FoldThread {
  readonly #spool: Spool
  readonly #settings: FoldSettings
  readonly #log: StoreLog
  readonly #onPast: (spool: string, seq: number) => void
  readonly #ready = Promise.withResolvers<void>()
  readonly #inOrder = Promise.withResolvers<void>()
  #begun = false
  #isReady = false
  #worker: Worker
  #conversation: Conversation<FoldTasks>
  #foldedSeq = 0
  #wholeSeq = 0
  /** The last command since the worker's latest report. */
  #lastCommand: 'nothing' | 'wake' | 'hurry' = 'nothing'
  #closing = false
  #lastError: string | null = null
  #readers: Reader[] = []
  #telling: NodeJS.Timeout | null = null

  /** `onPast`: of another spool, whose past this worker folds, everything up to here is in the database. */
  constructor(spool: Spool, settings: FoldSettings, log: StoreLog, onPast: (spool: string, seq: number) => void) {
    this.#spool = spool
    this.#onPast = onPast
    this.#settings = settings
    this.#log = log
    this.#ready.promise.catch(() => {})
    this.#worker = this.#start(settings)
    this.#conversation = this.#converse()
  }

  /** The past is in order: the spool of the last process is folded, its unfinished calls are closed. */
  get inOrder(): Promise<void> {
    return this.#inOrder.promise
  }

  /** The same; rejects when the worker fails before, although it is started again. */
  get ready(): Promise<void> {
    return this.#ready.promise
  }

  /** Nothing is folded before this, so that the past can be read at rest first. */
  begin(): void {
    this.#begun = true
    this.#conversation.tell('command', 'begin')
  }

  /** The database has everything up to here: another worker has put it there, or it was so before. */
  advance({ seq, ends }: Position): void {
    this.#foldedSeq = Math.max(this.#foldedSeq, ends)
    this.#wholeSeq = Math.max(this.#wholeSeq, seq)
    this.#spool.folded(this.#wholeSeq)
  }

  get foldedSeq(): number {
    return this.#foldedSeq
  }

  /** Durable records that wait for the database; before the first report, those that the last process left. */
  get lagRows(): number {
    return Math.min(this.#spool.lastSeq - this.#foldedSeq, this.#spool.rows)
  }

  /** Not a single record is here alone. */
  get isDelivered(): boolean {
    return this.#wholeSeq >= this.#spool.lastSeq
  }

  get lastError(): string | null {
    return this.#lastError
  }

  /** Two messages at most, however many commits happen before the worker has answered them. */
  wake(): void {
    const isEnough = this.#spool.lastSeq - this.#foldedSeq >= BATCH_RECORDS
    if (this.#lastCommand === 'hurry' || (this.#lastCommand === 'wake' && !isEnough)) return
    this.#lastCommand = isEnough ? 'hurry' : 'wake'
    this.#conversation.tell('command', this.#lastCommand)
  }

  /** What is durable by now is delivered soon, for other nodes to find. Those of SQLite have their own log. */
  tellOthers(): void {
    if (this.#settings.target.kind === 'sqlite') return
    this.#telling ??= setTimeout(() => {
      this.#telling = null
      // Sent even if repeated: the worker may have looked before the record was written.
      this.#conversation.tell('command', 'hurry')
    }, KNOWN_WITHIN_MS).unref()
  }

  /** Resolves when everything durable by now is in the database; rejects when that takes too long to be waited for. */
  caughtUp(): Promise<void> {
    const seq = this.#spool.lastSeq
    if (this.#wholeSeq >= seq) return Promise.resolve()
    this.#ask()
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        this.#readers = this.#readers.filter((waiting) => waiting !== reader)
        const why = this.#lastError ?? `the database is still taking ${this.lagRows} rows`
        reject(new DatabaseAwayError(`the request log lags behind: ${why}`))
      }, LONGEST_WAIT_MS).unref()
      const reader = {
        seq,
        resolve() {
          clearTimeout(late)
          resolve()
        },
      }
      this.#readers.push(reader)
    })
  }

  /** Folds to the end, but does not wait for a database that is down: the next start folds the rest. */
  async close(withinMs: number): Promise<void> {
    this.#closing = true
    if (!this.#begun) {
      await this.#worker.terminate()
      return
    }
    const closed = this.#conversation.failure === null ? ended(this.#worker, withinMs) : null
    this.#conversation.tell('command', 'stop')
    await closed
  }

  #start(settings: FoldSettings): Worker {
    const worker = new Worker(workerProgram(import.meta.url, 'fold-worker'), { workerData: settings })
    worker.on('error', (error) => {
      this.#lastError = error.message
      this.#log.error({ error: error.message }, 'the fold worker failed')
      this.#ready.reject(error)
    })
    worker.once('exit', () => {
      if (!this.#closing) setTimeout(() => this.#restart(), RESTART_MS).unref()
    })
    return worker
  }

  #converse(): Conversation<FoldTasks> {
    const own: FoldThreadTasks = { report: (report) => this.#receive(report) }
    return new Conversation(this.#worker, own)
  }

  #restart(): void {
    if (this.#closing) return
    this.#worker = this.#start(this.#isReady ? { ...this.#settings, past: null } : this.#settings)
    this.#conversation = this.#converse()
    this.#lastCommand = 'nothing'
    if (this.#begun) this.begin()
    this.wake()
  }

  #receive(report: FoldReport): void {
    if (report.kind === 'damaged') {
      if (this.#spool.keep(report.damage.path)) tellDamage(this.#log, report.damage)
      return
    }
    if (report.kind === 'failed') {
      if (this.#lastError !== report.message) this.#log.warn({ error: report.message }, 'the request log lags behind')
      this.#lastError = report.message
      return
    }
    if (report.kind === 'past') {
      this.#lastError = null
      if (report.spool === this.#settings.node) this.advance({ seq: report.seq, ends: report.seq })
      else this.#onPast(report.spool, report.seq)
      return
    }
    if (report.kind === 'ready') {
      if (report.interrupted > 0) {
        this.#log.warn({ requests: report.interrupted }, 'calls of the last run did not finish: logged as interrupted')
      }
      this.#isReady = true
      this.#ready.resolve()
      this.#inOrder.resolve()
    }
    this.#lastError = null
    this.#foldedSeq = Math.max(this.#foldedSeq, report.seq)
    this.#wholeSeq = Math.max(this.#wholeSeq, report.kind === 'ready' ? report.seq : report.whole)
    this.#spool.folded(this.#wholeSeq)
    this.#lastCommand = 'nothing'
    // Rows that came while the worker was busy: it may have looked before they were there.
    if (this.#foldedSeq < this.#spool.lastSeq) this.wake()
    const isServed = ({ seq }: Reader) => seq <= this.#wholeSeq
    const waiting = this.#readers
    this.#readers = waiting.filter((reader) => !isServed(reader))
    for (const reader of waiting) if (isServed(reader)) reader.resolve()
    // It may have been at work, or have failed, when it was asked.
    if (this.#readers.length > 0) this.#ask()
  }

  #ask(): void {
    this.#conversation.tell('command', 'deliver')
  }
}
