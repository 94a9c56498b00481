import { BytePieces, joined } from '../domain/byte-pieces.ts'
import type { BodySink } from './chunked-body.ts'
import { type Breakdown, type CallOptions, type Endpoint, Exchange, IDLE_MS } from './exchange.ts'
import type { ResponseHead } from './response-head.ts'
import { MAX_RESPONSE_BYTES, type UpstreamReply } from './whole-response.ts'

/** A response whose head has arrived. Its body must be read to its end or aborted: the connection is in use until then. */
export interface UpstreamAnswer extends Pick<UpstreamReply, 'status' | 'headers' | 'isFullyWritten'> {
  kind: 'answer'
  /** One call at a time. A body that was cut ends with a breakdown, behind the pieces that came before, never with `end`. */
  next(): Promise<BodyPart>
  /** From now on this much silence means that the body will not end. */
  limitSilence(milliseconds: number): void
  /** Closes the connection, drops what has not been read, and makes `next` report why. */
  abort(why: Breakdown): void
}

export type BodyPart = { kind: 'piece'; bytes: Buffer } | { kind: 'end' } | Breakdown

export interface StreamOptions extends CallOptions {
  /** Until the head has arrived. After it, `idleMs` applies, and any other abort by the reader. */
  timeoutMs: number
  /** The longest silence within the body, not counting time in which the reader does not read. */
  idleMs?: number
}

/** Bytes that wait, or that a reader has while it asks for no more, before the socket is paused. */
const MAX_QUEUED_BYTES = 16 * 1024
/** Of one piece: what a reader makes of it is kept while a slow caller has no room for it. */
const PIECE_BYTES = 16 * 1024
const END = { kind: 'end' } as const

/** A call whose response is read piece by piece while it arrives. */
export class StreamedExchange extends Exchange implements BodySink, UpstreamAnswer {
  readonly kind = 'answer'
  readonly maxBytes = Number.POSITIVE_INFINITY
  override readonly idleMs: number
  status = 0
  headers: UpstreamReply['headers'] = new Map()
  isFullyWritten = false
  /** That wait for `next`. */
  bytes = 0
  #resolveHead: ((outcome: UpstreamAnswer | Breakdown) => void) | null
  #queue: Buffer[] = []
  #last: BodyPart | null = null
  #resolveNext: ((part: BodyPart) => void) | null = null

  constructor(endpoint: Endpoint, options: StreamOptions, resolve: (outcome: UpstreamAnswer | Breakdown) => void) {
    super(endpoint, options)
    this.idleMs = options.idleMs ?? IDLE_MS
    this.#resolveHead = resolve
  }

  get body(): BodySink {
    return this
  }

  add(piece: Buffer): void {
    this.#queue.push(piece)
    this.bytes += piece.length
  }

  next(): Promise<BodyPart> {
    return new Promise((resolve) => {
      this.#resolveNext = resolve
      if (this.#handOut() === 0) this.connection?.resume()
    })
  }

  limitSilence(milliseconds: number): void {
    this.connection?.limitSilence(milliseconds)
  }

  override abort(why: Breakdown): void {
    this.#queue = []
    this.#last = why
    super.abort(why)
  }

  override onArrived(head: ResponseHead): boolean {
    this.#begin(head, this.connection?.isFullyWritten === true)
    return this.#handOut() + this.bytes < MAX_QUEUED_BYTES
  }

  override onEnd(head: ResponseHead, isFullyWritten: boolean): void {
    if (!this.settle()) return
    this.#begin(head, isFullyWritten)
    this.#last = END
    this.#handOut()
  }

  protected override onBreakdown(breakdown: Breakdown): void {
    this.#last = breakdown
    this.#resolveHead?.(breakdown)
    this.#handOut()
  }

  #begin(head: ResponseHead, isFullyWritten: boolean): void {
    if (this.#resolveHead === null) return
    this.endDeadline()
    this.status = head.status
    this.headers = head
    this.isFullyWritten = isFullyWritten
    this.#resolveHead(this)
    this.#resolveHead = null
  }

  /** How many bytes. */
  #handOut(): number {
    const part = this.#resolveNext === null ? null : this.#nextPart()
    if (part === null) return 0
    this.#resolveNext?.(part)
    this.#resolveNext = null
    return part.kind === 'piece' ? part.bytes.length : 0
  }

  #nextPart(): BodyPart | null {
    if (this.#queue.length === 0) return this.#last
    const bytes = joined(this.#queue)
    if (bytes.length > PIECE_BYTES) {
      this.#queue = [bytes.subarray(PIECE_BYTES)]
      this.bytes = bytes.length - PIECE_BYTES
      return { kind: 'piece', bytes: bytes.subarray(0, PIECE_BYTES) }
    }
    this.#queue = []
    this.bytes = 0
    return { kind: 'piece', bytes }
  }
}

/** Reads the rest of an answer, as `exchange` would have done from the start. */
export async function collect(answer: UpstreamAnswer, timeoutMs: number): Promise<UpstreamReply | Breakdown> {
  const deadline = setTimeout(() => answer.abort({ kind: 'timeout', phase: 'body' }), timeoutMs)
  const body = new BytePieces()
  let part = await answer.next()
  for (; part.kind === 'piece'; part = await answer.next()) {
    body.add(part.bytes)
    if (body.bytes > MAX_RESPONSE_BYTES) answer.abort({ kind: 'too-large' })
  }
  clearTimeout(deadline)
  if (part.kind !== 'end') return part
  const { status, headers, isFullyWritten } = answer
  return { kind: 'reply', status, headers, pieces: body.all(), bytes: body.bytes, isFullyWritten }
}
