import { BytePieces } from '../domain/byte-pieces.ts'
import { ChunkedBody } from './chunked-body.ts'
import { type Framing, framingOf, keepsConnection } from './framing.ts'
import { mayBecomeHead, ResponseHead } from './response-head.ts'

const HEAD_END = Buffer.from('\r\n\r\n')
/** Of the answer and of all that come before it. */
const MOST_HEAD_BYTES = 64 * 1024

export class TooLargeError extends Error {}

/**
 * One answer of a provider as it arrives. A reader of our own, because it is a third of what a call to a provider
 * costs: figures in decision 0014. What is no answer by the letter of RFC 9112 is an error, which ends the connection
 * too: who reads it otherwise may see another end.
 */
export class ResponseReader {
  head: ResponseHead | null = null
  /** Not a byte has come. */
  isSilent = true
  readonly body = new BytePieces()
  isWhole = false
  /** Another call may be made on this connection. */
  keepsConnection = false
  readonly #mostBytes: number
  #waiting: Buffer | null = null
  #headBytes = 0
  /** Bytes of the body that are still to come; null where the end of the connection is its end. */
  #left: number | null = 0
  #chunks: ChunkedBody | null = null

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes
  }

  /** Throws when this is no answer, or a TooLargeError. */
  read(bytes: Buffer): void {
    this.isSilent = false
    if (this.head !== null) this.#readBody(bytes)
    else this.#readHeads(bytes)
  }

  /** The other side will send no more: whether that is the end of this answer. */
  endsHere(): boolean {
    this.isWhole ||= this.head !== null && this.#left === null
    return this.isWhole
  }

  /** "Continue" and "early hints" come before the answer. */
  #readHeads(arrived: Buffer): void {
    let seen = this.#waiting?.length ?? 0
    let bytes = this.#waiting === null ? arrived : Buffer.concat([this.#waiting, arrived])
    this.#waiting = null
    while (bytes.length > 0) {
      const end = bytes.indexOf(HEAD_END, Math.max(0, seen - HEAD_END.length + 1))
      const length = end < 0 ? bytes.length : end + HEAD_END.length
      if (this.#headBytes + length > MOST_HEAD_BYTES) throw new SyntaxError('a head that is too long')
      if (end < 0) {
        if (!mayBecomeHead(bytes, seen)) throw new SyntaxError('this is not an HTTP answer')
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
    if (framing === 'chunks') this.#chunks = new ChunkedBody(this.body)
    else if (framing === 'connection') this.#left = null
    else {
      this.#left = framing
      if (framing > this.#mostBytes) throw new TooLargeError()
      this.isWhole = framing === 0
    }
    if (rest.length > 0) this.#readBody(rest)
  }

  #readBody(bytes: Buffer): void {
    const used = this.#add(bytes)
    if (this.body.bytes > this.#mostBytes) throw new TooLargeError()
    // Something came that nobody asked for. Had it come a moment later, the answer would be in use already.
    if (used < bytes.length) this.keepsConnection = false
  }

  #add(bytes: Buffer): number {
    if (this.#chunks !== null) {
      const used = this.#chunks.read(bytes)
      this.isWhole = this.#chunks.isWhole
      return used
    }
    if (this.#left === null) {
      this.body.add(bytes)
      return bytes.length
    }
    const own = bytes.length > this.#left ? bytes.subarray(0, this.#left) : bytes
    this.body.add(own)
    this.#left -= own.length
    this.isWhole = this.#left === 0
    return own.length
  }
}
