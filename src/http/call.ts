import type { GatewayError } from '../domain/errors.ts'
import type { Presence } from '../domain/presence.ts'
import type { Arrivals } from './arrivals.ts'
import type { BodyMemory } from './body-memory.ts'
import type { Kept } from './raw/plain-head.ts'

/** One HTTP request as the other rooms see it. */
export interface Call {
  /** Goes out as `x-gateway-request-id`. */
  id: string
  method: string
  /** The target of the request as received; only where `node:http` serves the call. */
  url?: string
  /** Path parameters, decoded. */
  params: Readonly<Record<string, string>>
  /** Query parameters, decoded; the last of a repeated one counts. */
  query(): Readonly<Record<string, string>>
  header(name: string): string | undefined
  /** All header fields, names in lower case. */
  headers(): Iterable<readonly [name: string, value: string]>
  /** Lives as long as its connection repeats this head; missing where heads are not kept. */
  kept?: Kept | undefined
  /** Of the peer, which may be a proxy; only where `node:http` serves the call. */
  remoteAddress?: string | undefined
  /**
   * The whole body, in pieces (domain/byte-pieces.ts): copying megabytes into one buffer would block the thread. Throws
   * `request_too_large` past the limit, `CallerLeftError` when the client hangs up, and a refusal when the process or this
   * owner holds too many bytes already. A body that is there is returned at once. The memory of the body is released when the call is answered.
   */
  readBody(limitBytes: number, owner?: string): Buffer[] | Promise<Buffer[]>
  presence: Presence
  /** Begins a streamed answer. The handler then returns its end, as a `StreamRest`. */
  openStream(head: StreamHead, first: string): Sink
  /** `performance.now()` when the head of the request was read. */
  receivedAt: number
}

export interface Reply {
  status: number
  headers: Record<string, string>
  /** More than one `set-cookie`; only where `node:http` serves the call. */
  cookies?: string[]
  body: string | Uint8Array
}

/** A reply that is written while it is produced: any length in constant memory. */
export interface StreamedReply {
  status: number
  headers: Record<string, string>
  pieces: AsyncIterable<string | Uint8Array>
}

export interface StreamHead {
  status: number
  headers: Record<string, string>
  /** Names of the fields that follow the body. */
  trailers: readonly string[]
}

/** Where a streamed answer goes once its head is sent. */
export interface Sink {
  /** `bytes`: its length in UTF-8. False: the connection is full. Wait for `drained` before writing more. */
  write(text: string, bytes: number): boolean
  /** Also resolves when the client has left. */
  drained(): Promise<void>
  /** Bytes that the connection has taken so far. */
  readonly taken: number
  /** Closes the connection, so that the client does not take the answer for whole. */
  cut(): void
}

/** The end of an answer that was begun with `openStream`. */
export interface StreamRest {
  rest: string | Uint8Array
  /** What was sent is all there is: the connection closes, so that the client does not take it for whole. */
  isCut?: true
  trailers: Record<string, string>
}

/** The answer of a call: whole, or the end of a stream. */
export type CallReply = Reply | StreamRest

export type AnyReply = CallReply | StreamedReply

/** Null: the client left, so there is no answer to send. */
export type Handler = (call: Call) => Promise<AnyReply | null> | Reply | null

export interface HttpRoute {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  handle: Handler
  /** On every answer of this route, errors included. */
  headers?: Readonly<Record<string, string>>
  /** What the ids of its requests begin with; the server has a default. */
  idPrefix?: string | undefined
  /** A further header with the id of the request. */
  idHeader?: string | undefined
  /** How errors on this path are written, those of the server included; by default `errorReply` (respond.ts). */
  writeError?: ((error: GatewayError, requestId: string, headers?: Record<string, string>) => Reply) | undefined
  /** Refused while the gateway is overloaded. */
  isSheddable?: boolean
  /** A busy POST route: served without `node:http` where that is possible (raw-socket.ts). */
  usesRawSocket?: boolean
}

/** Shared by all bodies, on every port. */
export interface Bodies {
  memory: BodyMemory
  arrivals: Arrivals
}

/** Thrown where work stops because the client hung up; never answered. */
export class CallerLeftError extends Error {
  override readonly name = 'CallerLeftError'
}
