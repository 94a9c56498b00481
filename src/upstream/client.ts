import { refusedHost } from '../domain/base-url.ts'
import { joined } from '../domain/byte-pieces.ts'
import type { Presence } from '../domain/presence.ts'
import {
  type ConnectionUser,
  ENDED,
  NOT_CONNECTED,
  SILENT,
  TOO_LARGE,
  type UpstreamConnection,
  type WireRequest,
} from './connection.ts'
import { ConnectionPool } from './connection-pool.ts'
import { guardedLookup, REFUSED_ADDRESS, type Resolve, resolveName } from './guarded-lookup.ts'
import { fieldLines } from './request-head.ts'
import type { ResponseReader } from './response-reader.ts'
import type { HttpTarget } from './target.ts'

/** A target taken apart once, so that no call parses a URL. */
export interface Endpoint {
  pool: ConnectionPool
  path: string
  /** All fields of the head that are the same for every call, each with its line end; null when one cannot be sent. */
  fields: string | null
  /** Why nothing may be sent there; null as a rule. */
  refused: string | null
}

export interface UpstreamReply {
  kind: 'reply'
  status: number
  /** By names in small letters. */
  headers: { get(name: string): string | undefined }
  /** The body (domain/byte-pieces.ts): to copy megabytes into one buffer would hold the thread. */
  pieces: Buffer[]
  bytes: number
  /** All of the request has left this process: its bytes are no longer looked at. */
  isFullyWritten: boolean
}

export function bodyOf({ pieces }: UpstreamReply): Buffer {
  return joined(pieces)
}

/** Why there is no answer. `sent`: the provider had the whole request, so it may have worked on it and billed it. */
export type Stoppage =
  | { kind: 'timeout'; phase: 'connect' | 'headers' | 'body' }
  | { kind: 'unreachable'; detail: string }
  | { kind: 'broken'; sent: boolean; detail: string }
  | { kind: 'too-large' }
  /** The address is one that no provider may have (domain/base-url.ts). */
  | { kind: 'refused-address'; detail: string }

export type Breakdown = Stoppage | { kind: 'caller-left' }

export interface CallOptions {
  method: 'GET' | 'POST'
  body: Uint8Array | string | null
  timeoutMs: number
  presence: Presence | null
}

/** The one place that opens sockets to providers. It knows HTTP and deadlines, never a family. */
export interface UpstreamClient {
  endpoint(target: HttpTarget): Endpoint
  exchange(endpoint: Endpoint, options: CallOptions): Promise<UpstreamReply | Breakdown>
  close(): void
}

export const CONNECT_TIMEOUT_MS = 10_000
/** Once the answer has begun, this much silence in it means that it will not end. */
const SILENCE_MS = 60_000
export const MAX_RESPONSE_BYTES = 64 * 1024 * 1024
/** A kept connection that ends this soon was ended before the request reached the other side (decision 0004). */
const STALE_MS = 20

/** `resolve` is how names become addresses; tests bring their own. */
export function createUpstreamClient(resolve: Resolve = resolveName): UpstreamClient {
  const lookup = guardedLookup(resolve)
  const settings = { connectMs: CONNECT_TIMEOUT_MS, silenceMs: SILENCE_MS, maxResponseBytes: MAX_RESPONSE_BYTES }
  const pools = new Map<string, ConnectionPool>()

  function poolFor(url: URL): ConnectionPool {
    const pool = pools.get(url.origin) ?? new ConnectionPool(url, lookup, settings)
    pools.set(url.origin, pool)
    return pool
  }

  return {
    endpoint(target) {
      const url = new URL(target.url)
      // A literal address is never looked up, so it is checked here; a name is checked whenever a connection is made.
      const refusal = refusedHost(url.hostname)
      const refused = refusal === null ? null : `${url.hostname} is ${refusal}`
      const fields = fieldLines({ host: url.host, connection: 'keep-alive', ...target.headers })
      return { pool: poolFor(url), path: url.pathname + url.search, fields, refused }
    },
    exchange: (endpoint, options) =>
      new Promise((resolve) => {
        new Exchange(endpoint, options, resolve).start()
      }),
    close() {
      for (const pool of pools.values()) pool.destroy()
    },
  }
}

/** One call on the wire, from the first byte to its single outcome. */
class Exchange implements ConnectionUser {
  readonly request: WireRequest
  private readonly endpoint: Endpoint
  private readonly options: CallOptions
  private readonly resolve: (outcome: UpstreamReply | Breakdown) => void
  private connection: UpstreamConnection | null = null
  private settled = false
  private sent = false
  private reused = false
  private sentAt = 0
  private deadline: NodeJS.Timeout | undefined
  private stopListening: (() => void) | undefined

  constructor(endpoint: Endpoint, options: CallOptions, resolve: (outcome: UpstreamReply | Breakdown) => void) {
    this.endpoint = endpoint
    this.options = options
    this.resolve = resolve
    this.request = { head: headOf(endpoint, options), body: options.body }
  }

  start(): void {
    const { timeoutMs, presence } = this.options
    if (presence?.left === true) {
      this.resolve({ kind: 'caller-left' })
      return
    }
    if (this.endpoint.refused !== null) {
      this.resolve({ kind: 'refused-address', detail: this.endpoint.refused })
      return
    }
    if (this.endpoint.fields === null) {
      this.resolve({ kind: 'broken', sent: false, detail: 'ERR_INVALID_CHAR' })
      return
    }
    this.deadline = setTimeout(() => this.stop({ kind: 'timeout', phase: this.phase() }), timeoutMs)
    this.stopListening = presence?.onLeave(() => this.stop({ kind: 'caller-left' }))
    this.connection = this.endpoint.pool.take()
    this.connection.send(this)
  }

  onSent(): void {
    this.sent = true
    this.sentAt = performance.now()
    this.reused = this.connection?.used === true
  }

  onReply({ head, body }: ResponseReader, isFullyWritten: boolean): void {
    if (head === null) return
    this.settle({
      kind: 'reply',
      status: head.status,
      headers: head,
      pieces: body.all(),
      bytes: body.bytes,
      isFullyWritten,
    })
  }

  onBroken(code: string, error: Error, isAnswered: boolean): void {
    this.settle(breakdownOf(code, error, isAnswered || (this.sent && !this.isStale(code))))
  }

  /** The socket has taken the bytes, which one that is just ending also does. */
  private isStale(code: string): boolean {
    return this.reused && STALE.has(code) && performance.now() - this.sentAt <= STALE_MS
  }

  private phase(): 'connect' | 'headers' | 'body' {
    if (this.connection?.isConnected !== true) return 'connect'
    return this.connection.hasResponseBegun ? 'body' : 'headers'
  }

  private stop(outcome: Breakdown): void {
    this.settle(outcome)
    this.connection?.destroy()
  }

  private settle(outcome: UpstreamReply | Breakdown): void {
    if (this.settled) return
    this.settled = true
    clearTimeout(this.deadline)
    this.stopListening?.()
    this.resolve(outcome)
  }
}

function headOf({ path, fields }: Endpoint, { method, body }: CallOptions): string {
  const begin = `${method} ${path} HTTP/1.1\r\n${fields}`
  if (body === null) return `${begin}${method === 'POST' ? 'content-length: 0\r\n' : ''}\r\n`
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

function breakdownOf(code: string, error: Error, sent: boolean): Stoppage {
  if (code === REFUSED_ADDRESS) return { kind: 'refused-address', detail: error.message }
  if (code === NOT_CONNECTED) return { kind: 'timeout', phase: 'connect' }
  if (code === SILENT) return { kind: 'timeout', phase: 'body' }
  if (code === TOO_LARGE) return { kind: 'too-large' }
  const isTls = /^(ERR_TLS|ERR_SSL|EPROTO$)|CERT|^UNABLE_TO_/.test(code)
  if (!sent && (isTls || UNREACHABLE.has(code))) return { kind: 'unreachable', detail: code }
  return { kind: 'broken', sent, detail: code }
}
