import { BytePieces, joined } from '../domain/byte-pieces.ts'
import { type Breakdown, type CallOptions, type Endpoint, Exchange } from './exchange.ts'
import type { ResponseHead } from './response-head.ts'

export interface UpstreamReply {
  kind: 'reply'
  status: number
  /** By names in lower case. */
  headers: { get(name: string): string | undefined; entries(): Iterable<readonly [name: string, value: string]> }
  /** The body (domain/byte-pieces.ts): copying megabytes into one buffer would block the thread. */
  pieces: Buffer[]
  bytes: number
  /** A proxy that was asked in plain text, and may have answered in the provider's place. */
  proxy?: string
  /** The socket had taken all of the request: its bytes are no longer read. */
  isFullyWritten: boolean
}

export const MAX_RESPONSE_BYTES = 64 * 1024 * 1024

export function bodyOf({ pieces }: UpstreamReply): Buffer {
  return joined(pieces)
}

/** A call whose response is kept until all of it has arrived. */
export class WholeExchange extends Exchange {
  readonly body = new BytePieces()
  readonly maxBytes = MAX_RESPONSE_BYTES
  readonly #resolve: (outcome: UpstreamReply | Breakdown) => void

  constructor(endpoint: Endpoint, options: CallOptions, resolve: (outcome: UpstreamReply | Breakdown) => void) {
    super(endpoint, options)
    this.#resolve = resolve
  }

  override onArrived(): boolean {
    return true
  }

  override onEnd(head: ResponseHead, isFullyWritten: boolean): void {
    if (!this.settle()) return
    const { body } = this
    const { status } = head
    this.#resolve({ kind: 'reply', status, headers: head, pieces: body.all(), bytes: body.bytes, isFullyWritten })
  }

  protected override onBreakdown(breakdown: Breakdown): void {
    this.#resolve(breakdown)
  }
}
