import {
  close,
  closeSync,
  fdatasync,
  fdatasyncSync,
  ftruncateSync,
  openSync,
  rename,
  renameSync,
  unlink,
  writeSync,
} from 'node:fs'
import { frameRoom, writeFrame } from './frame.ts'
import { type Damage, SpoolReader } from './reader.ts'
import { takeReserve } from './reserve.ts'
import { ASIDE, listSegments, makeSpoolFolder, type Segment, segmentAfter, syncPath } from './segments.ts'

/** Then the next file is begun: old ones are removed as a whole, and a start reads the newest. */
const SEGMENT_BYTES = 4 * 1024 * 1024
const USUAL_ROOM = 64 * 1024

export type WriteSync = (file: number, bytes: Buffer, from: number, length: number, at: number) => number

export interface WriterOptions {
  /** The id of a folder that is new; random by default. */
  node?: string
  synchronousFull: boolean
  onDamage?(damage: Damage): void
  /** What counted as written may not outlive a power cut. */
  onSyncFailure?(error: unknown): void
  write?: WriteSync
}

/**
 * The files of a spool, whose only writer this is. A write to the end of a file costs half of a commit of SQLite,
 * and there is no lock, no checkpoint and nothing to delete row by row (decision 0003).
 */
export class SpoolWriter {
  readonly node: string
  readonly #folder: string
  readonly #synchronousFull: boolean
  readonly #onSyncFailure: (error: unknown) => void
  readonly #writeSync: WriteSync
  /** Oldest first. The newest is the one that is written, if any is. */
  #segments: Segment[]
  #file: number | null = null
  #bytes = 0
  #lastSeq: number
  #room = Buffer.allocUnsafe(USUAL_ROOM)
  readonly #damaged = new Set<string>()

  constructor(folder: string, options: WriterOptions) {
    this.#folder = folder
    this.#synchronousFull = options.synchronousFull
    this.#onSyncFailure = options.onSyncFailure ?? (() => {})
    this.#writeSync = options.write ?? ((file, bytes, from, length, at) => writeSync(file, bytes, from, length, at))
    this.node = makeSpoolFolder(folder, options.node)
    const { seq, unread } = endOf(folder)
    this.#lastSeq = seq
    if (unread !== null) {
      // Without a single record its name is that of the next file.
      if (unread.path === segmentAfter(folder, seq).path) renameSync(unread.path, `${unread.path}${ASIDE}`)
      else this.keep(unread.path)
      options.onDamage?.(unread)
    }
    this.#segments = listSegments(folder)
  }

  get lastSeq(): number {
    return this.#lastSeq
  }

  /** Records in the files, folded or not. */
  get rows(): number {
    return this.#lastSeq - (this.#segments[0]?.after ?? this.#lastSeq)
  }

  /** Throws when they are not durable; then what there is of them does not count. */
  append(records: number, text: string): void {
    if (this.#file === null || this.#bytes >= SEGMENT_BYTES) this.#begin()
    const file = this.#file ?? 0
    const room = frameRoom(text)
    if (room > this.#room.length) this.#room = Buffer.allocUnsafe(room)
    const bytes = writeFrame(this.#room, records, text)
    try {
      for (let written = 0; written < bytes; ) {
        written += this.#writeSync(file, this.#room, written, bytes - written, this.#bytes + written)
      }
    } catch (error) {
      this.#cutOff(file)
      throw error
    }
    // Their numbers are used from here on, also should the disk fail now: the reader may have seen them.
    this.#bytes += bytes
    this.#lastSeq += records
    if (this.#room.length > USUAL_ROOM) this.#room = Buffer.allocUnsafe(USUAL_ROOM)
    if (this.#synchronousFull) fdatasyncSync(file)
  }

  /** What comes now goes to the file that was kept for it. False: there is none. */
  enterReserve(): boolean {
    const segment = segmentAfter(this.#folder, this.#lastSeq)
    const file = takeReserve(this.#folder, segment.path)
    if (file === null) return false
    this.#enter(file, segment)
    return true
  }

  /** The next record begins a new file. */
  endFile(): void {
    this.#end()
  }

  /** The database knows higher numbers, which must not come a second time: all that is here is old, and goes with time. */
  startAfter(seq: number): void {
    if (seq <= this.#lastSeq) return
    this.#end()
    this.#lastSeq = seq
  }

  /** Removes files that hold nothing else, except the newest, which has the last number for the next start. */
  removeUpTo(seq: number): void {
    while ((this.#segments[1]?.after ?? Number.POSITIVE_INFINITY) <= seq) {
      const oldest = this.#segments.shift()
      if (oldest !== undefined) this.#remove(oldest)
    }
  }

  /** A file that cannot be read to its end is kept when the others are removed. False: it was known. */
  keep(path: string): boolean {
    if (this.#damaged.has(path)) return false
    this.#damaged.add(path)
    return true
  }

  /** Makes what was written so far survive a power cut, soon; a failure is reported. */
  sync(): void {
    const file = this.#file
    if (file === null) return
    fdatasync(file, (error) => {
      // A file that has ended since may be closed; it was synced at its end.
      if (error !== null && file === this.#file) this.#onSyncFailure(error)
    })
  }

  close(): void {
    const file = this.#file
    if (file === null) return
    this.#file = null
    this.#cutOff(file)
    try {
      fdatasyncSync(file)
    } finally {
      closeSync(file)
    }
  }

  /**
   * Removes what follows the last record: half of a frame on a full disk, or the rest of a reserve. At once: a reader
   * would take it for damage once the next file has begun, and that may be the same file again.
   */
  #cutOff(file: number): void {
    try {
      ftruncateSync(file, this.#bytes)
    } catch {
      // If the disk fails altogether, it stays: it is overwritten, or reported as damage without a record.
    }
  }

  #remove({ path }: Segment): void {
    if (this.#damaged.has(path)) rename(path, `${path}${ASIDE}`, () => {})
    else unlink(path, () => {})
  }

  #begin(): void {
    const segment = segmentAfter(this.#folder, this.#lastSeq)
    const file = openSync(segment.path, 'w', 0o600)
    try {
      if (this.#synchronousFull) syncPath(this.#folder)
    } catch (error) {
      closeSync(file)
      throw error
    }
    this.#enter(file, segment)
  }

  #enter(file: number, segment: Segment): void {
    this.#end()
    this.#file = file
    this.#bytes = 0
    // A file of this name has no whole record, or its name would be another one.
    this.#segments = [...this.#segments.filter(({ path }) => path !== segment.path), segment]
  }

  #end(): void {
    const file = this.#file
    this.#file = null
    if (file === null) return
    this.#cutOff(file)
    fdatasync(file, (error) => {
      close(file)
      if (error !== null) this.#onSyncFailure(error)
    })
  }
}

function endOf(folder: string): { seq: number; unread: Damage | null } {
  const reader = new SpoolReader(folder)
  const end = reader.end()
  reader.close()
  return end ?? { seq: 0, unread: null }
}
