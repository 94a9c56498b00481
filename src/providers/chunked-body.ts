import type { BytePieces } from '../domain/byte-pieces.ts'

const SIZE_LINE = /^([0-9a-f]{1,8})[ \t]*(?:;.*)?$/i
/** Of one line between the chunks, and of all fields after the last. */
const MOST_LINE_BYTES = 16 * 1024
const LINE_END = 0x0a

/** A body that comes in chunks, each with its size in front (RFC 9112, 7.1). */
export class ChunkedBody {
  isWhole = false
  readonly #into: BytePieces
  #expects: 'size' | 'bytes' | 'end of bytes' | 'trailer' = 'size'
  #left = 0
  #line = ''
  #trailerBytes = 0

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
    if (this.#line.length + this.#trailerBytes > MOST_LINE_BYTES)
      throw new SyntaxError('a chunk begins with a long line')
    if (end < 0) return bytes.length
    if (!this.#line.endsWith('\r')) throw new SyntaxError('a chunk begins with a line that does not end as lines do')
    this.#meet(this.#line.slice(0, -1))
    this.#line = ''
    return end + 1
  }

  #meet(line: string): void {
    if (this.#expects === 'size') {
      const size = SIZE_LINE.exec(line)?.[1]
      if (size === undefined) throw new SyntaxError('a chunk begins without its size')
      this.#left = Number.parseInt(size, 16)
      this.#expects = this.#left === 0 ? 'trailer' : 'bytes'
    } else if (this.#expects === 'end of bytes') {
      if (line !== '') throw new SyntaxError('a chunk is longer than its size')
      this.#expects = 'size'
    } else if (line === '') this.isWhole = true
    else this.#trailerBytes += line.length
  }
}
