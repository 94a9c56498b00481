import { BytePieces } from '../domain/byte-pieces.ts'
import { ChunkedBody } from './chunked-body.ts'
import { mayBecomeHead, ReplyHead } from './reply-head.ts'

const HEAD_END = Buffer.from('\r\n\r\n')
const MOST_HEAD_BYTES = 64 * 1024
const LENGTH = /^\d{1,15}$/

export class TooLargeError extends Error {}

/** How the end of a body is known. */
type Framing = 'length' | 'chunks' | 'connection'

/**
 * One answer of a provider as it arrives (RFC 9112). A reader of our own, because it is a third of what a call to a
 * provider costs: figures in decision 0014. Whatever leaves a doubt about where the answer ends is an error, or the
 * connection is not used again.
 */
export class ReplyReader {
  head: ReplyHead | null = null
  /** Not a byte has come. */
  isSilent = true
  readonly body = new BytePieces()
  isWhole = false
  /** Another call may be made on this connection. */
  keepsConnection = false
  readonly #mostBytes: number
  #waiting: Buffer | null = null
  #framing: Framing = 'length'
  #left = 0
  #chunks: ChunkedBody | null = null

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes
  }

  /** Throws when this is no answer, or a TooLargeError. */
  read(bytes: Buffer): void {
    this.isSilent = false
    if (this.head !== null) this.#readBody(bytes)
    else this.#readHead(this.#waiting === null ? bytes : Buffer.concat([this.#waiting, bytes]))
  }

  /** The other side will send no more: whether that is the end of this answer. */
  endsHere(): boolean {
    this.isWhole ||= this.head !== null && this.#framing === 'connection'
    return this.isWhole
  }

  #readHead(bytes: Buffer): void {
    const end = bytes.indexOf(HEAD_END)
    if (end < 0) {
      if (bytes.length > MOST_HEAD_BYTES || !mayBecomeHead(bytes)) throw new SyntaxError('this is not an HTTP answer')
      this.#waiting = bytes
      return
    }
    this.#waiting = null
    const head = new ReplyHead(bytes.toString('latin1', 0, end))
    const rest = bytes.subarray(end + HEAD_END.length)
    if (head.status === 101) throw new SyntaxError('nobody asked for another protocol')
    // "Continue" and "early hints" come before the answer.
    if (head.status < 200) {
      if (rest.length > 0) this.#readHead(rest)
      return
    }
    this.head = head
    this.#frame(head)
    if (!this.isWhole) this.#readBody(rest)
    else if (rest.length > 0) this.keepsConnection = false
  }

  #frame(head: ReplyHead): void {
    this.keepsConnection = !head.isOld && !head.list('connection').includes('close')
    const coding = head.list('transfer-encoding')
    const lengths = head.list('content-length')
    if (head.status === 204 || head.status === 304) this.isWhole = true
    else if (coding.length > 0) this.#frameChunks(coding, lengths)
    else if (lengths.length > 0) this.#frameLength(lengths)
    else {
      this.#framing = 'connection'
      this.keepsConnection = false
    }
  }

  #frameChunks(coding: readonly string[], lengths: readonly string[]): void {
    if (coding.length > 1 || coding[0] !== 'chunked') throw new SyntaxError(`a coding nobody asked for: ${coding}`)
    this.#framing = 'chunks'
    this.#chunks = new ChunkedBody(this.body)
    // Both at once is how answers are smuggled: what comes next on this connection is not trusted.
    if (lengths.length > 0) this.keepsConnection = false
  }

  #frameLength(lengths: readonly string[]): void {
    const [length = ''] = lengths
    if (!LENGTH.test(length) || lengths.some((other) => other !== length))
      throw new SyntaxError('a length that is none')
    this.#left = Number(length)
    if (this.#left > this.#mostBytes) throw new TooLargeError()
    this.isWhole = this.#left === 0
  }

  #readBody(bytes: Buffer): void {
    if (bytes.length === 0) return
    const used = this.#add(bytes)
    if (this.body.bytes > this.#mostBytes) throw new TooLargeError()
    // Something came that nobody asked for.
    if (used < bytes.length) this.keepsConnection = false
  }

  #add(bytes: Buffer): number {
    if (this.#chunks !== null) {
      const used = this.#chunks.read(bytes)
      this.isWhole = this.#chunks.isWhole
      return used
    }
    if (this.#framing === 'connection') {
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
