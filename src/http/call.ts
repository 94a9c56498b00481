import type { Presence } from '../domain/presence.ts'
import type { Arrivals } from './arrivals.ts'
import type { BodyMemory } from './body-memory.ts'

/** One HTTP request as the rooms behind this one see it. */
export interface Call {
  /** Goes out as `x-gateway-request-id`. */
  id: string
  method: string
  /** Path parameters, decoded. */
  params: Readonly<Record<string, string>>
  /** Query parameters, decoded; of a repeated one the last counts. */
  query(): Record<string, string>
  header(name: string): string | undefined
  /** Of whoever connected, a proxy too; only where `node:http` serves the call. */
  remoteAddress?: string | undefined
  /**
   * The whole body, in pieces (domain/byte-pieces.ts): to copy megabytes into one would hold the thread. Throws
   * `request_too_large` past the limit, `CallerLeftError` when the caller hangs up, and a refusal when the process, or this
   * owner's share of it, holds too many bytes already. What the body takes counts until the call has been answered.
   */
  readBody(limitBytes: number, owner?: string): Promise<Buffer[]>
  presence: Presence
  /** `performance.now()` when the head of the request was read. */
  receivedAt: number
}

export interface Reply {
  status: number
  headers: Record<string, string>
  /** Bytes where it is large: they are text all the same. */
  body: string | Uint8Array
}

/** A reply that is written while it is being made, for answers of any length in constant memory. */
export interface StreamedReply {
  status: number
  headers: Record<string, string>
  pieces: AsyncIterable<string>
}

/** A reply that is not text, or is sent as it lies on disk. */
export interface BytesReply {
  status: number
  headers: Record<string, string>
  bytes: Buffer
}

export type AnyReply = Reply | StreamedReply | BytesReply

/** Null: the caller left, there is nobody to answer. */
export type Handler = (call: Call) => Promise<AnyReply | null> | Reply | null

export interface HttpRoute {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  handle: Handler
  /** On every answer of this route, errors too. */
  headers?: Readonly<Record<string, string>>
  /** Not taken while there is more to do than can be done; what people need to see why always is. */
  sheds?: boolean
  /** The busy one: served past `node:http` where that is possible (lane.ts). */
  hasLane?: boolean
}

/** What all bodies have in common, whichever way and to whichever port they come. */
export interface Bodies {
  memory: BodyMemory
  arrivals: Arrivals
}

/** Thrown where work stops because the caller hung up; never answered. */
export class CallerLeftError extends Error {
  override readonly name = 'CallerLeftError'
}
