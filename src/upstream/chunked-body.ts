import { isFieldLine, TOKEN } from './response-head.ts'

const QUOTED = '"(?:[\\t\\x20\\x21\\x23-\\x5b\\x5d-\\x7e\\x80-\\xff]|\\\\[\\t\\x20-\\x7e\\x80-\\xff])*"'
/** Blanks in it are "bad whitespace" in the grammar, and other readers refuse them. */
const EXTENSION = `;${TOKEN}(?:=(?:${TOKEN}|${QUOTED}))?`
const SIZE_LINE = new RegExp(`^([0-9a-fA-F]{1,8})(?:${EXTENSION})*$`)
/** They say where a response ends, which is too late in a trailer. */
const FRAMING_FIELD = /^(?:content-length|transfer-encoding):/i
/** Of all that is not body: chunk extensions and trailers. */
const MAX_OTHER_BYTES = 16 * 1024
const [LINE_END, CARRIAGE_RETURN] = [0x0a, 0x0d]

/** Where the bytes of a body go. */
export interface BodySink {
  /** How many it holds. */
  readonly bytes: number
  add(piece: Buffer): void
}

/** A body that comes in chunks, each with its size in front (RFC 9112, 7.1). */
export class ChunkedBody {
  isWhole = false
  readonly #into: BodySink
  #expects: 'size' | 'bytes' | 'end of bytes' | 'trailer' = 'size'
  #left = 0
  #line = ''
  #otherBytes = 0

  constructor(into: BodySink) {
    this.#into = into
  }

  /** Returns how many of the bytes belong to the body. Throws when they break the grammar. */
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
    const usual = this.#line === '' ? this.#takeUsual(bytes, from) : from
    if (usual > from) return usual
    const end = bytes.indexOf(LINE_END, from)
    this.#line += bytes.toString('latin1', from, end < 0 ? bytes.length : end)
    if (this.#line.length + this.#otherBytes > MAX_OTHER_BYTES)
      throw new SyntaxError('chunk extensions or trailers are too long')
    if (end < 0) return bytes.length
    if (!this.#line.endsWith('\r')) throw new SyntaxError('a line does not end with CR LF')
    this.#meet(this.#line.slice(0, -1))
    this.#line = ''
    return end + 1
  }

  /** A size without extensions, or the end of a chunk, that has come whole. Returns where it ends, else where it begins. */
  #takeUsual(bytes: Buffer, from: number): number {
    let at = from
    let size = 0
    if (this.#expects === 'size') {
      for (let digit = hexDigit(bytes[at]); digit >= 0 && at < from + 8; digit = hexDigit(bytes[++at]))
        size = size * 16 + digit
      if (size === 0) return from
    }
    if (bytes[at] !== CARRIAGE_RETURN || bytes[at + 1] !== LINE_END || this.#expects === 'trailer') return from
    this.#expects = size > 0 ? 'bytes' : 'size'
    this.#left = size
    return at + 2
  }

  #meet(line: string): void {
    if (this.#expects === 'size') {
      const size = SIZE_LINE.exec(line)?.[1]
      if (size === undefined) throw new SyntaxError('a chunk has no valid size')
      this.#otherBytes += line.length - size.length
      this.#left = Number.parseInt(size, 16)
      this.#expects = this.#left === 0 ? 'trailer' : 'bytes'
    } else if (this.#expects === 'end of bytes') {
      if (line !== '') throw new SyntaxError('a chunk is longer than its size')
      this.#expects = 'size'
    } else if (line === '') this.isWhole = true
    else {
      if (!isFieldLine(line) || FRAMING_FIELD.test(line)) throw new SyntaxError('invalid trailer')
      this.#otherBytes += line.length + 2
    }
  }
}

/** -1: none. */
function hexDigit(code = 0): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const letter = code | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}
