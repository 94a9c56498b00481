import { randomUUID } from 'node:crypto'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { openSpoolFile } from './spool-file.ts'
import { GROUP, joinLines } from './spool-lines.ts'

/** What is appended in one turn of the event loop: it becomes durable together, as one row, or not at all. */
class Group {
  readonly lines: string[] = []
  readonly done = Promise.withResolvers<number>()
}

/** Records removed at a time: seldom, because a trim costs as much as many appends, but never for a millisecond. */
const TRIM_STEP = 512
const IDLE_TRIM_MS = 50
/** A checkpoint that resets the log holds the write lock for a moment; only a broken disk holds it this long. */
const BUSY_LIMIT_MS = 10_000
const BUSY_RETRY_MS = 1
const SQLITE_BUSY = 5

/**
 * The durable queue in front of the database: one narrow table in a file of its own, written on the main thread with
 * one commit per turn of the event loop (tens of microseconds, storage.md). This connection is the only writer, and it
 * never waits: neither for a lock nor for a checkpoint, which the ledger worker does.
 */
export class Spool {
  readonly node: string
  readonly #database: DatabaseSync
  readonly #insert: StatementSync
  readonly #trim: StatementSync
  readonly #begin: StatementSync
  readonly #commit: StatementSync
  readonly #onCommit: () => void
  #group = new Group()
  #scheduled = false
  #busySince: number | null = null
  #lastSeq: number
  #trimmedSeq: number
  #foldedSeq = 0
  #trimTimer: NodeJS.Timeout | null = null

  constructor(path: string, options: { synchronousFull: boolean; onCommit(): void }) {
    this.#onCommit = options.onCommit
    this.#database = openSpoolFile(path, 0)
    this.#database.exec(`
      pragma journal_mode = wal;
      pragma synchronous = ${options.synchronousFull ? 'full' : 'normal'};
      pragma wal_autocheckpoint = 0;
      create table if not exists spool (seq integer primary key, kind text not null, payload text not null);
      create table if not exists meta (name text primary key, value text not null);`)
    this.#database.prepare(`insert or ignore into meta (name, value) values ('node', ?)`).run(randomUUID())
    this.node = String(this.#database.prepare(`select value from meta where name = 'node'`).get()?.['value'])
    const edges = this.#database.prepare('select min(seq) as first, max(seq) as last from spool').get()
    this.#lastSeq = typeof edges?.['last'] === 'number' ? edges['last'] : 0
    this.#trimmedSeq = typeof edges?.['first'] === 'number' ? edges['first'] - 1 : 0
    this.#insert = this.#database.prepare('insert into spool (seq, kind, payload) values (?, ?, ?)')
    this.#trim = this.#database.prepare('delete from spool where seq <= ?')
    this.#begin = this.#database.prepare('begin immediate')
    this.#commit = this.#database.prepare('commit')
  }

  /** The number of the newest durable record. A row has the number of its last one. */
  get lastSeq(): number {
    return this.#lastSeq
  }

  /** Appended, not yet durable. */
  get pending(): number {
    return this.#group.lines.length
  }

  /** Records still in the file, folded or not. */
  get rows(): number {
    return this.#lastSeq - this.#trimmedSeq
  }

  /** Resolves, to the number of its row, when the line is durable; rejects when it is not, e.g. because the disk is full. */
  append(line: string): Promise<number> {
    this.#group.lines.push(line)
    this.#schedule()
    return this.#group.done.promise
  }

  /** Resolves when everything appended so far is durable or has been refused. */
  async settled(): Promise<void> {
    while (this.pending > 0) await new Promise((resolve) => setImmediate(resolve))
  }

  /**
   * Numbers must only grow, or new rows would look folded. This file does not remember them once their rows are gone
   * (AUTOINCREMENT would, at twice the cost of an append), the database does.
   */
  startAfter(seq: number): void {
    if (seq <= this.#lastSeq) return
    this.#trim.run(seq)
    this.#lastSeq = seq
    this.#trimmedSeq = seq
  }

  /** The database holds everything up to here: the rows may go, when there are many or when nothing else happens. */
  folded(seq: number): void {
    this.#foldedSeq = Math.max(this.#foldedSeq, seq)
    if (this.#trimTimer !== null || this.#trimmable() === 0) return
    this.#trimTimer = setTimeout(() => {
      this.#trimTimer = null
      this.#schedule()
    }, IDLE_TRIM_MS).unref()
  }

  close(): void {
    if (this.#trimTimer !== null) clearTimeout(this.#trimTimer)
    this.#flush()
    this.#refuse(new Error('the request log is closed'))
    this.#database.close()
  }

  #trimmable(): number {
    return Math.min(this.#foldedSeq, this.#lastSeq) - this.#trimmedSeq
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => this.#flush())
  }

  #flush(): void {
    this.#scheduled = false
    const group = this.#group
    try {
      this.#write(group.lines)
    } catch (error) {
      if (!this.#rollback(error)) this.#refuse(error)
      return
    }
    this.#busySince = null
    if (group.lines.length > 0) {
      this.#group = new Group()
      group.done.resolve(this.#lastSeq)
      this.#onCommit()
    }
    this.folded(this.#foldedSeq)
  }

  #write(lines: readonly string[]): void {
    const trimTo = this.#trimmedSeq + Math.min(this.#trimmable(), TRIM_STEP)
    const trims = trimTo - this.#trimmedSeq >= (lines.length > 0 ? TRIM_STEP : 1)
    const seq = this.#lastSeq + lines.length
    // A single statement is a transaction of its own, a little cheaper than one that is spelt out.
    const several = trims && lines.length > 0
    if (several) this.#begin.run()
    if (lines.length > 0) this.#insert.run(seq, GROUP, joinLines(lines))
    if (trims) this.#trim.run(trimTo)
    if (several) this.#commit.run()
    this.#lastSeq = seq
    if (trims) this.#trimmedSeq = trimTo
  }

  /** True when the lock was merely taken: the group stays queued and is tried again, without blocking anyone. */
  #rollback(error: unknown): boolean {
    if (this.#database.isOpen && this.#database.isTransaction) this.#database.exec('rollback')
    const now = performance.now()
    this.#busySince ??= now
    if (!isBusy(error) || now - this.#busySince > BUSY_LIMIT_MS) return false
    this.#scheduled = true
    setTimeout(() => this.#flush(), BUSY_RETRY_MS)
    return true
  }

  #refuse(error: unknown): void {
    const group = this.#group
    this.#busySince = null
    if (group.lines.length === 0) return
    this.#group = new Group()
    group.done.reject(error)
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY
}
