import { joinLines } from './spool-lines.ts'
import type { Damage } from './spool-reader.ts'
import { SpoolWriter } from './spool-writer.ts'

/** What is appended in one turn of the event loop: it becomes durable together, as one row, or not at all. */
class Group {
  readonly lines: string[] = []
  readonly done = Promise.withResolvers<number>()
}

export interface SpoolOptions {
  /** Each write also survives a power cut before it counts; otherwise it soon does. */
  synchronousFull: boolean
  onCommit(): void
  onDamage?(damage: Damage): void
}

const SYNC_MS = 1_000

/**
 * The durable queue in front of the database: files of their own, written on the main thread with one write per turn of
 * the event loop (some microseconds). It waits for nobody.
 */
export class Spool {
  readonly #writer: SpoolWriter
  readonly #onCommit: () => void
  #group = new Group()
  #scheduled = false
  #isClosed = false
  readonly #syncsEach: boolean
  #syncTimer: NodeJS.Timeout | null = null

  constructor(folder: string, options: SpoolOptions) {
    this.#onCommit = options.onCommit
    this.#syncsEach = options.synchronousFull
    this.#writer = new SpoolWriter(folder, options)
  }

  get node(): string {
    return this.#writer.node
  }

  /** The number of the newest durable record. A row has the number of its last one. */
  get lastSeq(): number {
    return this.#writer.lastSeq
  }

  /** Appended, not yet durable. */
  get pending(): number {
    return this.#group.lines.length
  }

  /** Records still in the files, folded or not. */
  get rows(): number {
    return this.#writer.rows
  }

  /** Resolves, to the number of its row, when the line is durable; rejects when it is not, e.g. because the disk is full. */
  append(line: string): Promise<number> {
    const group = this.#group
    group.lines.push(line)
    if (!this.#scheduled) {
      this.#scheduled = true
      setImmediate(() => this.#flush())
    }
    return group.done.promise
  }

  /** Resolves when everything appended so far is durable or has been refused. */
  async settled(): Promise<void> {
    while (this.pending > 0) await new Promise((resolve) => setImmediate(resolve))
  }

  /**
   * Numbers must only grow, or new rows would look folded. A folder that lost its last files does not remember them, the
   * database does.
   */
  startAfter(seq: number): void {
    this.#writer.startAfter(seq)
  }

  /** The database holds everything up to here. */
  folded(seq: number): void {
    this.#writer.removeUpTo(seq)
  }

  /** A file that could not be read to its end is kept. False: it was known. */
  keep(path: string): boolean {
    return this.#writer.keep(path)
  }

  close(): void {
    if (this.#syncTimer !== null) clearTimeout(this.#syncTimer)
    this.#flush()
    this.#isClosed = true
    this.#writer.close()
  }

  #flush(): void {
    this.#scheduled = false
    const group = this.#group
    if (group.lines.length === 0) return
    this.#group = new Group()
    try {
      if (this.#isClosed) throw new Error('the request log is closed')
      this.#writer.append(group.lines.length, joinLines(group.lines))
    } catch (error) {
      group.done.reject(error)
      return
    }
    group.done.resolve(this.#writer.lastSeq)
    this.#onCommit()
    if (!this.#syncsEach) this.#syncLater()
  }

  #syncLater(): void {
    this.#syncTimer ??= setTimeout(() => {
      this.#syncTimer = null
      this.#writer.sync()
    }, SYNC_MS).unref()
  }
}
