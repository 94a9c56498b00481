import { type BodySink, ChunkedBody } from './chunked-body.ts'
import { type Framing, framingOf, keepsConnection } from './framing.ts'
import { mayBecomeHead, ResponseHead } from './response-head.ts'

const HEAD_END = Buffer.from('\r\n\r\n')
/** Of the response and of all interim ones. */
const MAX_HEAD_BYTES = 64 * 1024

export class TooLargeError extends Error {}

/**
 * Reads one response as it arrives; why not with Node's parser: decision 0001. Anything that RFC 9112 does not allow is an
 * error and closes the connection: another reader might see the response end elsewhere.
 */
export class ResponseReader {
  head: ResponseHead | null = null
  /** No byte has arrived. */
  isSilent = true
  isWhole = false
  /** The connection may serve another call. */
  keepsConnection = false
  readonly #body: BodySink
  readonly #maxBytes: number
  #waiting: Buffer | null = null
  #headBytes = 0
  /** Bytes of the body that are still to come; null where the end of the connection ends it. */
  #left: number | null = 0
  #chunks: ChunkedBody | null = null

  constructor(body: BodySink, maxBytes: number) {
    this.#body = body
    this.#maxBytes = maxBytes
  }

  /** Throws when this breaks the grammar, or a TooLargeError. */
  read(bytes: Buffer): void {
    this.isSilent = false
    if (this.head !== null) this.#readBody(bytes)
    else this.#readHeads(bytes)
  }

  /** The other side has closed: whether that is the regular end of this response. */
  endsHere(): boolean {
    this.isWhole ||= this.head !== null && this.#left === null
    return this.isWhole
  }

  /** Interim responses ("continue", "early hints") may come first. */
  #readHeads(arrived: Buffer): void {
    let seen = this.#waiting?.length ?? 0
    let bytes = this.#waiting === null ? arrived : Buffer.concat([this.#waiting, arrived])
    this.#waiting = null
    while (bytes.length > 0) {
      const end = bytes.indexOf(HEAD_END, Math.max(0, seen - HEAD_END.length + 1))
      const length = end < 0 ? bytes.length : end + HEAD_END.length
      if (this.#headBytes + length > MAX_HEAD_BYTES) throw new SyntaxError('the head is too long')
      if (end < 0) {
        if (!mayBecomeHead(bytes, seen)) throw new SyntaxError('this is not an HTTP response')
        this.#waiting = bytes
        return
      }
      this.#headBytes += length
      const head = new ResponseHead(bytes.toString('latin1', 0, end))
      bytes = bytes.subarray(length)
      seen = 0
      const framing = framingOf(head)
      if (head.status < 200) continue
      this.#begin(head, framing, bytes)
      return
    }
  }

  #begin(head: ResponseHead, framing: Framing, rest: Buffer): void {
    this.head = head
    this.keepsConnection = framing !== 'connection' && keepsConnection(head)
    if (framing === 'chunks') this.#chunks = new ChunkedBody(this.#body)
    else if (framing === 'connection') this.#left = null
    else {
      this.#left = framing
      if (framing > this.#maxBytes) throw new TooLargeError()
      this.isWhole = framing === 0
    }
    if (rest.length > 0) this.#readBody(rest)
  }

  #readBody(bytes: Buffer): void {
    const used = this.#add(bytes)
    if (this.#body.bytes > this.#maxBytes) throw new TooLargeError()
    // Unsolicited bytes. Had they come a moment later, the response would be in use already.
    if (used < bytes.length) this.keepsConnection = false
  }

  #add(bytes: Buffer): number {
    if (this.#chunks !== null) {
      const used = this.#chunks.read(bytes)
      this.isWhole = this.#chunks.isWhole
      return used
    }
    if (this.#left === null) {
      this.#body.add(bytes)
      return bytes.length
    }
    const own = bytes.length > this.#left ? bytes.subarray(0, this.#left) : bytes
    this.#body.add(own)
    this.#left -= own.length
    this.isWhole = this.#left === 0
    return own.length
  }
}
