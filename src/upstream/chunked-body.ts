import type { BytePieces } from '../domain/byte-pieces.ts'
import { isFieldLine, TOKEN } from './response-head.ts'

const QUOTED = '"(?:[\\t\\x20\\x21\\x23-\\x5b\\x5d-\\x7e\\x80-\\xff]|\\\\[\\t\\x20-\\x7e\\x80-\\xff])*"'
/** The grammar knows blanks in it, and calls them bad: other readers refuse them. */
const EXTENSION = `;${TOKEN}(?:=(?:${TOKEN}|${QUOTED}))?`
const SIZE_LINE = new RegExp(`^([0-9a-fA-F]{1,8})(?:${EXTENSION})*$`)
/** They say where an answer ends, and are too late for it. */
const FRAMING_FIELD = /^(?:content-length|transfer-encoding):/i
/** Of everything that is not the body: extensions of sizes and fields after the last chunk. */
const MOST_OTHER_BYTES = 16 * 1024
const LINE_END = 0x0a

/** A body that comes in chunks, each with its size in front (RFC 9112, 7.1). */
export class ChunkedBody {
  isWhole = false
  readonly #into: BytePieces
  #expects: 'size' | 'bytes' | 'end of bytes' | 'trailer' = 'size'
  #left = 0
  #line = ''
  #otherBytes = 0

  constructor(into: BytePieces) {
    this.#into = into
  }

  /** Returns how many bytes were part of it: fewer than there are when it ended among them. Throws when it is none. */
  read(bytes: Buffer): number {
    let at = 0
    while (at < bytes.length && !this.isWhole) {
      at = this.#expects === 'bytes' ? this.#takeBytes(bytes, at) : this.#takeLine(bytes, at)
    }
    return at
  }

  #takeBytes(bytes: Buffer, from: number): number {
    const end = Math.min(bytes.length, from + this.#left)
    this.#into.add(bytes.subarray(from, end))
    this.#left -= end - from
    if (this.#left === 0) this.#expects = 'end of bytes'
    return end
  }

  #takeLine(bytes: Buffer, from: number): number {
    const end = bytes.indexOf(LINE_END, from)
    this.#line += bytes.toString('latin1', from, end < 0 ? bytes.length : end)
    if (this.#line.length + this.#otherBytes > MOST_OTHER_BYTES) throw new SyntaxError('too much beside the chunks')
    if (end < 0) return bytes.length
    if (!this.#line.endsWith('\r')) throw new SyntaxError('a line that does not end as lines do')
    this.#meet(this.#line.slice(0, -1))
    this.#line = ''
    return end + 1
  }

  #meet(line: string): void {
    if (this.#expects === 'size') {
      const size = SIZE_LINE.exec(line)?.[1]
      if (size === undefined) throw new SyntaxError('a chunk begins without its size')
      this.#otherBytes += line.length - size.length
      this.#left = Number.parseInt(size, 16)
      this.#expects = this.#left === 0 ? 'trailer' : 'bytes'
    } else if (this.#expects === 'end of bytes') {
      if (line !== '') throw new SyntaxError('a chunk is longer than its size')
      this.#expects = 'size'
    } else if (line === '') this.isWhole = true
    else {
      if (!isFieldLine(line) || FRAMING_FIELD.test(line)) throw new SyntaxError('this is no field')
      this.#otherBytes += line.length + 2
    }
  }
}
