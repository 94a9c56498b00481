import type { StoreLog } from '../../store/engine/store-error.ts'
import { logFull } from '../log-full.ts'
import type { Damage } from './reader.ts'
import { joinLines } from './record-lines.ts'
import { SpoolRoom } from './room.ts'
import { SpoolWriter, type WriteSync } from './writer.ts'

/** What is appended in one turn of the event loop: it becomes durable together, as one row, or not at all. */
class Group {
  /** Beginnings of calls. Those of a turn share a promise, which rejects when the disk does not take them. */
  readonly opens = new Lines()
  /** Their ends, which wait for room. */
  ends = new Lines()

  get size(): number {
    return this.opens.lines.length + this.ends.lines.length
  }
}

class Lines {
  readonly lines: string[] = []
  #done: PromiseWithResolvers<number> | null = null

  add(line: string): Promise<number> {
    this.lines.push(line)
    this.#done ??= Promise.withResolvers<number>()
    return this.#done.promise
  }

  resolve(seq: number): void {
    this.#done?.resolve(seq)
  }

  reject(error: unknown): void {
    this.#done?.reject(error)
  }
}

export interface SpoolOptions {
  /** The id of a folder that is new; random by default. */
  node?: string
  /** It has a reader besides the database: files are kept until `reported`. */
  isReported?: boolean
  /** Each write also survives a power cut before it counts; otherwise it soon does. */
  synchronousFull: boolean
  onCommit(): void
  onDamage?(damage: Damage): void
  log?: StoreLog
  /** For tests: a disk that fails as they say. */
  disk?: { write?: WriteSync; makeReserve?: (folder: string) => Promise<void>; retryMs?: number }
}

const SYNC_MS = 1_000
const MOST_UNREPORTED = 1_000_000
const CLOSED = 'the request log is closed'
const SILENT: StoreLog = { info() {}, warn() {}, error() {} }

/**
 * The durable queue in front of the database: its own files, written on the main thread with one write per turn of the
 * event loop (some microseconds). It never waits. A full disk stops new calls, not running ones: no call begins then,
 * and the ends of running calls go to a reserve, or wait until they can be written.
 */
export class Spool {
  readonly #writer: SpoolWriter
  readonly #room: SpoolRoom
  readonly #onCommit: () => void
  #group = new Group()
  #scheduled = false
  #isClosed = false
  readonly #syncsEach: boolean
  #folded = 0
  #reported: number
  #syncTimer: NodeJS.Timeout | null = null

  constructor(folder: string, options: SpoolOptions) {
    const { write, makeReserve, retryMs } = options.disk ?? {}
    this.#onCommit = options.onCommit
    this.#syncsEach = options.synchronousFull
    this.#reported = options.isReported === true ? 0 : Number.POSITIVE_INFINITY
    this.#room = new SpoolRoom({
      folder,
      log: options.log ?? SILENT,
      onRoom: () => this.#goOn(),
      ...(makeReserve !== undefined && { make: makeReserve }),
      ...(retryMs !== undefined && { everyMs: retryMs }),
    })
    const onSyncFailure = (error: unknown) => this.#room.failed(error)
    this.#writer = new SpoolWriter(folder, { ...options, onSyncFailure, ...(write !== undefined && { write }) })
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
    return this.#group.size
  }

  /** Records still in the files, folded or not. */
  get rows(): number {
    return this.#writer.rows
  }

  /** Why nothing can begin now; null while the disk takes what is written. */
  get problem(): string | null {
    return this.#room.problem
  }

  /** Sets room aside for the ends of calls. */
  reserveRoom(): void {
    this.#room.prepare()
  }

  /** Resolves, to the number of its row, when the line is durable; rejects with `log_full` when it is not. */
  append(line: string): Promise<number> {
    if (this.problem !== null) return Promise.reject(logFull('disk'))
    const durable = this.#group.opens.add(line)
    this.#schedule()
    return durable
  }

  /** The same for what must not be lost: it waits until it can be written. */
  appendEnd(line: string): Promise<number> {
    const durable = this.#group.ends.add(line)
    this.#schedule()
    return durable
  }

  /** Resolves when everything appended so far is durable, has been refused or waits for room. */
  async settled(): Promise<void> {
    while (this.#scheduled) await new Promise((resolve) => setImmediate(resolve))
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
    this.#folded = seq
    this.#remove()
  }

  /** The shared counters have everything up to here. */
  reported(seq: number): void {
    this.#reported = Math.max(this.#reported, seq)
    this.#remove()
  }

  /** Counters that are down for very long are rebuilt from the database rather than waited for. */
  #remove(): void {
    this.#writer.removeUpTo(Math.min(this.#folded, Math.max(this.#reported, this.#folded - MOST_UNREPORTED)))
  }

  /** A file that could not be read to its end is kept. False: it was known. */
  keep(path: string): boolean {
    return this.#writer.keep(path)
  }

  async close(): Promise<void> {
    if (this.#syncTimer !== null) clearTimeout(this.#syncTimer)
    this.#flush()
    this.#isClosed = true
    const unwritten = this.#group.ends
    this.#group = new Group()
    unwritten.reject(new Error(CLOSED))
    const stopped = this.#room.stop()
    this.#writer.close()
    await stopped
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => this.#flush())
  }

  #flush(): void {
    this.#scheduled = false
    const group = this.#group
    if (group.size === 0) return
    this.#group = new Group()
    const { opens, ends } = group
    if (this.#isClosed) {
      opens.reject(new Error(CLOSED))
      ends.reject(new Error(CLOSED))
      return
    }
    try {
      this.#write([...opens.lines, ...ends.lines])
    } catch (error) {
      this.#room.failed(error)
      opens.reject(logFull('disk', error))
      this.#keepEnds(group)
      return
    }
    opens.resolve(this.#writer.lastSeq)
    ends.resolve(this.#writer.lastSeq)
  }

  /** Written to the reserve if there is one; otherwise they wait, and so do their calls. */
  #keepEnds({ ends }: Group): void {
    if (ends.lines.length === 0) return
    try {
      if (!this.#writer.enterReserve()) throw new Error('there is no reserve')
      this.#write(ends.lines)
    } catch {
      this.#group.ends = ends
      return
    }
    ends.resolve(this.#writer.lastSeq)
  }

  #goOn(): void {
    this.#writer.endFile()
    if (this.pending > 0) this.#schedule()
  }

  #write(lines: readonly string[]): void {
    this.#writer.append(lines.length, joinLines(lines))
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
