import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { StoreError } from '../../store/engine/store-error.ts'
import { type Frame, frameBytes, readFrame } from './frame.ts'
import type { SpoolRow } from './record-lines.ts'
import { listSegments, type Segment } from './segments.ts'

/** What is folded in one transaction, at least: so many records, or fewer when they have gathered for long enough. */
export const BATCH_RECORDS = 2_000

/** The unreadable end of a file that will not be written again. */
export interface Damage {
  path: string
  bytes: number
  /** Which are missing, by the number with which the next file begins. 0: a write that was cut off, as far as is known. */
  records: number
}

/** For commands, where an operator can decide. */
export function refuseLoss({ path, bytes, records }: Damage): void {
  if (records === 0) return
  throw new StoreError(
    `${records} records are missing: the last ${bytes} bytes of ${path} cannot be read. Move it away to go on without them`,
  )
}

interface OpenSegment extends Segment {
  file: number
}

const WINDOW_BYTES = 256 * 1024

/** Reads what a spool holds, also while its one writer appends to it. */
export class SpoolReader {
  readonly #folder: string
  readonly #onDamage: (damage: Damage) => void
  #segment: OpenSegment | null = null
  /** Where the next frame begins, and the number of the last record before it. */
  #offset = 0
  #seq = 0
  /** What has been read of the file, from `#windowAt` on. */
  #window: Buffer = Buffer.allocUnsafe(WINDOW_BYTES)
  #windowAt = 0
  #windowBytes = 0

  constructor(folder: string, onDamage: (damage: Damage) => void = () => {}) {
    this.#folder = folder
    this.#onDamage = onDamage
  }

  /** What comes after a record, as much of it as is folded in one transaction. */
  read(after: number): SpoolRow[] {
    const rows: SpoolRow[] = []
    if (this.#segment === null || this.#seq !== after) this.#seek(after)
    while (this.#segment !== null && !this.#take(rows, after)) {
      const next = listSegments(this.#folder).find((segment) => segment.after > (this.#segment?.after ?? 0))
      // Once more: the writer may have appended between the two reads.
      if (next === undefined || this.#take(rows, after)) break
      const unread = this.#unread(next.after)
      // Deliver readable records before reporting damage.
      if (unread !== null && rows.length > 0) break
      if (unread !== null) this.#onDamage(unread)
      this.#open(next)
    }
    return rows
  }

  /** Where the newest file ends: the number of its last record, and what follows that cannot be read. Null: there is none. */
  end(): { seq: number; unread: Damage | null } | null {
    const newest = listSegments(this.#folder).at(-1)
    if (newest === undefined) return null
    this.#open(newest)
    while (this.#next() !== null);
    return { seq: this.#seq, unread: this.#unread(this.#seq) }
  }

  close(): void {
    if (this.#segment !== null) closeSync(this.#segment.file)
    this.#segment = null
  }

  /** True when there are enough. */
  #take(rows: SpoolRow[], after: number): boolean {
    while (this.#seq - after < BATCH_RECORDS) {
      const frame = this.#next()
      if (frame === null) return false
      if (this.#seq > after) rows.push({ seq: this.#seq, payload: frame.text })
    }
    return true
  }

  #seek(after: number): void {
    const segments = listSegments(this.#folder)
    // Files may have been removed that a database restored from a backup has never seen.
    const segment = segments.findLast((candidate) => candidate.after <= after) ?? segments[0]
    this.close()
    if (segment === undefined) return
    this.#open(segment)
    while (this.#seq < after && this.#next() !== null);
  }

  #open(segment: Segment): void {
    this.close()
    this.#segment = { ...segment, file: openSync(segment.path, 'r') }
    this.#offset = 0
    this.#seq = segment.after
    this.#windowAt = 0
    this.#windowBytes = 0
  }

  #unread(nextSeq: number): Damage | null {
    if (this.#segment === null) return null
    const bytes = fstatSync(this.#segment.file).size - this.#offset
    const records = Math.max(0, nextSeq - this.#seq)
    if (bytes <= 0 || (records === 0 && this.#isBlank())) return null
    return { path: this.#segment.path, bytes, records }
  }

  /** Nothing but zeros follows: what is left of a reserve (reserve.ts). */
  #isBlank(): boolean {
    if (this.#segment === null) return true
    const { file } = this.#segment
    const some = Buffer.allocUnsafe(WINDOW_BYTES)
    for (let at = this.#offset; ; ) {
      const bytes = readSync(file, some, 0, some.length, at)
      if (bytes === 0) return true
      if (some.subarray(0, bytes).some((byte) => byte !== 0)) return false
      at += bytes
    }
  }

  #next(): Frame | null {
    const frame = this.#frame() ?? (this.#fill() ? this.#frame() : null)
    if (frame === null) return null
    this.#offset += frame.bytes
    this.#seq += frame.records
    return frame
  }

  #frame(): Frame | null {
    return readFrame(this.#window, this.#offset - this.#windowAt, this.#windowBytes)
  }

  /** What was read before may have been half written. */
  #fill(): boolean {
    if (this.#segment === null) return false
    const { file } = this.#segment
    const read = () => readSync(file, this.#window, 0, this.#window.length, this.#offset)
    this.#windowAt = this.#offset
    this.#windowBytes = read()
    const needed = frameBytes(this.#window, 0, this.#windowBytes)
    if (needed > this.#window.length && this.#offset + needed <= fstatSync(file).size) {
      this.#window = Buffer.allocUnsafe(needed)
      this.#windowBytes = read()
    }
    return true
  }
}
