import type { Presence } from '../domain/presence.ts'
import type { BodySink } from './chunked-body.ts'
import {
  type ConnectionUser,
  ENDED,
  NOT_CONNECTED,
  SILENT,
  TOO_LARGE,
  type UpstreamConnection,
  type WireRequest,
} from './connection.ts'
import type { ConnectionPool } from './connection-pool.ts'
import { REFUSED_ADDRESS } from './guarded-lookup.ts'
import { type EgressProxy, ProxyError } from './proxy.ts'
import type { ResponseHead } from './response-head.ts'

/** A target, parsed once instead of once for each call. */
export interface Endpoint {
  pool: Pick<ConnectionPool, 'take'>
  path: string
  /** The header lines that are the same for every call; null when one of them cannot be sent. */
  fields: string | null
  /** Why nothing may be sent there; usually null. */
  refused: string | null
  /** On the way there; usually null. */
  proxy: EgressProxy | null
}

export interface CallOptions {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  body: Uint8Array | string | null
  timeoutMs: number
  presence: Presence | null
}

/** What was waited for. From `first-content` on they are deadlines of a stream's reader. */
export type TimeoutPhase = 'token' | 'connect' | 'headers' | 'body' | 'first-content' | 'idle' | 'payload' | 'total'

/** Why there is no response. `sent`: the provider had the whole request, so it may have worked on it and billed it. */
export type Stoppage =
  /** `proxy`: on the way there, as messages name it. */
  | { kind: 'timeout'; phase: TimeoutPhase; proxy?: string }
  /** `detail`: a code of the system or of OpenSSL. */
  | { kind: 'unreachable'; detail: string; proxy?: string }
  /** A proxy on the way rejects the call, for the reason in `detail`. `isRefusal`: retrying soon will not help. */
  | { kind: 'proxy'; detail: string; isRefusal: boolean }
  | { kind: 'broken'; sent: boolean; detail: string }
  | { kind: 'too-large' }
  /** The address is one that no provider may have (domain/base-url.ts). */
  | { kind: 'refused-address'; detail: string }
  /** No token, or none that could be fetched: nothing was sent. */
  | { kind: 'unauthorized'; detail: string }

export type Breakdown = Stoppage | { kind: 'caller-left' }

/** Once a response has begun, this much silence means that it will not end. */
export const IDLE_MS = 60_000
/** A reused connection that closes this soon was closed before the request reached the provider (decision 0004). */
const STALE_MS = 20

/** One call on the wire. Subclasses decide what becomes of the response. */
export abstract class Exchange implements ConnectionUser {
  abstract readonly body: BodySink
  abstract readonly maxBytes: number
  readonly idleMs: number = IDLE_MS
  // Private for the runtime too: they hold keys and prompts, and an answer might be logged.
  readonly #endpoint: Endpoint
  readonly #options: CallOptions
  #connection: UpstreamConnection | null = null
  #settled = false
  #sent = false
  #reused = false
  #sentAt = 0
  #deadline: NodeJS.Timeout | undefined
  #stopListening: (() => void) | undefined

  constructor(endpoint: Endpoint, options: CallOptions) {
    this.#endpoint = endpoint
    this.#options = options
  }

  get request(): WireRequest {
    return { head: headOf(this.#endpoint, this.#options), body: this.#options.body }
  }

  /** Null before the start and after the end. */
  protected get connection(): UpstreamConnection | null {
    return this.#connection
  }

  start(): void {
    const { timeoutMs, presence } = this.#options
    const obstacle = obstacleOf(this.#endpoint, presence)
    if (obstacle !== null) {
      this.onBreakdown(obstacle)
      return
    }
    this.#deadline = setTimeout(() => this.abort(timeout(this.#phase(), this.#endpoint.proxy)), timeoutMs)
    this.#stopListening = presence?.onLeave(() => this.abort({ kind: 'caller-left' }))
    this.#connection = this.#endpoint.pool.take()
    this.#connection.send(this)
  }

  /** Closes the connection; the exchange ends with this breakdown unless it has ended already. */
  abort(why: Breakdown): void {
    const connection = this.#connection
    if (this.settle()) this.onBreakdown(why)
    connection?.destroy()
  }

  onSent(): void {
    this.#sent = true
    this.#sentAt = performance.now()
    this.#reused = this.#connection?.used === true
  }

  abstract onArrived(head: ResponseHead): boolean

  abstract onEnd(head: ResponseHead, isFullyWritten: boolean): void

  onBroken(code: string, error: Error, isAnswered: boolean): void {
    const sent = isAnswered || (this.#sent && !this.#isStale(code))
    if (this.settle()) this.onBreakdown(breakdownOf(code, error, sent, this.#endpoint.proxy))
  }

  /** Called once, instead of `onEnd`. */
  protected abstract onBreakdown(breakdown: Breakdown): void

  /** The response has begun in time. */
  protected endDeadline(): void {
    clearTimeout(this.#deadline)
  }

  /** False: the exchange has ended already. */
  protected settle(): boolean {
    if (this.#settled) return false
    this.#settled = true
    this.#connection = null
    this.endDeadline()
    this.#stopListening?.()
    return true
  }

  /** A socket takes bytes even while the other side is closing it. */
  #isStale(code: string): boolean {
    return this.#reused && STALE.has(code) && performance.now() - this.#sentAt <= STALE_MS
  }

  #phase(): 'connect' | 'headers' | 'body' {
    if (this.#connection?.isConnected !== true) return 'connect'
    return this.#connection.hasResponseBegun ? 'body' : 'headers'
  }
}

/** Why nothing is sent at all. */
function obstacleOf({ refused, fields }: Endpoint, presence: Presence | null): Breakdown | null {
  if (presence?.left === true) return { kind: 'caller-left' }
  if (refused !== null) return { kind: 'refused-address', detail: refused }
  return fields === null ? { kind: 'broken', sent: false, detail: 'ERR_INVALID_CHAR' } : null
}

function headOf({ path, fields }: Endpoint, { method, body }: CallOptions): string {
  const begin = `${method} ${path} HTTP/1.1\r\n${fields}`
  if (body === null) return `${begin}${method === 'GET' ? '' : 'content-length: 0\r\n'}\r\n`
  return `${begin}content-length: ${typeof body === 'string' ? Buffer.byteLength(body) : body.length}\r\n\r\n`
}

const STALE = new Set([ENDED, 'ECONNRESET', 'EPIPE'])

const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'ETIMEDOUT',
])

function timeout(phase: TimeoutPhase, proxy: EgressProxy | null): Stoppage {
  return { kind: 'timeout', phase, ...(phase === 'connect' && proxy !== null ? { proxy: proxy.label } : {}) }
}

function breakdownOf(code: string, error: Error, sent: boolean, proxy: EgressProxy | null): Stoppage {
  if (error instanceof ProxyError) return { kind: 'proxy', detail: error.message, isRefusal: error.isRefusal }
  if (code === REFUSED_ADDRESS) return { kind: 'refused-address', detail: error.message }
  if (code === NOT_CONNECTED) return timeout('connect', proxy)
  if (code === SILENT) return { kind: 'timeout', phase: 'body' }
  if (code === TOO_LARGE) return { kind: 'too-large' }
  const isTls = /^(ERR_TLS|ERR_SSL|EPROTO$)|CERT|^UNABLE_TO_/.test(code)
  if (!sent && proxy !== null && UNREACHABLE.has(code)) {
    // Only the proxy was dialled.
    return { kind: 'proxy', detail: `the proxy ${proxy.label} cannot be reached (${code})`, isRefusal: false }
  }
  if (!sent && (isTls || UNREACHABLE.has(code))) {
    return { kind: 'unreachable', detail: code, ...(proxy === null ? {} : { proxy: proxy.label }) }
  }
  return { kind: 'broken', sent, detail: code }
}
