import { randomUUID } from 'node:crypto'
import { DatabaseSync, type StatementSync } from 'node:sqlite'

export type SpoolKind = 'open' | 'close'

interface Pending {
  kind: SpoolKind
  payload: string
  resolve(): void
  reject(error: unknown): void
}

/** Rows removed in one transaction: about as dear as writing a handful, so no flush becomes slow by it. */
const TRIM_STEP = 256
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
  #queue: Pending[] = []
  #scheduled = false
  #busySince: number | null = null
  #lastSeq: number
  #trimmedSeq: number
  #foldedSeq = 0
  #trimTimer: NodeJS.Timeout | null = null

  constructor(path: string, options: { synchronousFull: boolean; onCommit(): void }) {
    this.#onCommit = options.onCommit
    this.#database = new DatabaseSync(path, { timeout: 0 })
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

  /** The number of the newest durable row. */
  get lastSeq(): number {
    return this.#lastSeq
  }

  /** Appended, not yet durable. */
  get pending(): number {
    return this.#queue.length
  }

  /** Rows still in the file, folded or not. */
  get rows(): number {
    return this.#lastSeq - this.#trimmedSeq
  }

  /** Resolves when the row is durable; rejects when it is not, e.g. because the disk is full. */
  append(kind: SpoolKind, record: object): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ kind, payload: JSON.stringify(record), resolve, reject })
      this.#schedule()
    })
  }

  /** Resolves when everything appended so far is durable or has been refused. */
  async settled(): Promise<void> {
    while (this.#queue.length > 0) await new Promise((resolve) => setImmediate(resolve))
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

  /** The database holds everything up to here: the rows may go, a few with each commit or when nothing else happens. */
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
    const group = this.#queue
    try {
      this.#write(group)
    } catch (error) {
      if (!this.#rollback(error)) this.#refuse(error)
      return
    }
    this.#queue = []
    this.#busySince = null
    for (const row of group) row.resolve()
    if (group.length > 0) this.#onCommit()
    this.folded(this.#foldedSeq)
  }

  #write(group: readonly Pending[]): void {
    const trimTo = Math.min(this.#trimmedSeq + TRIM_STEP, this.#foldedSeq, this.#lastSeq)
    const trims = trimTo > this.#trimmedSeq
    if (group.length === 0 && !trims) return
    let seq = this.#lastSeq
    // A single statement is a transaction of its own, a little cheaper than one that is spelt out.
    const several = trims || group.length > 1
    if (several) this.#begin.run()
    for (const row of group) this.#insert.run(++seq, row.kind, row.payload)
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
    const group = this.#queue
    this.#queue = []
    this.#busySince = null
    for (const row of group) row.reject(error)
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY
}
