import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { refusedHost } from '../domain/base-url.ts'
import { BytePieces, joined } from '../domain/byte-pieces.ts'
import type { Presence } from '../domain/presence.ts'
import type { HttpTarget } from './family.ts'
import { guardedLookup, REFUSED_ADDRESS, type Resolve, resolveName } from './guarded-lookup.ts'
import { type Line, Lines } from './lines.ts'
import { isSliced, slicesOf } from './sliced.ts'

/** A target taken apart once, so that no call parses a URL. */
export interface Endpoint {
  lines: Lines
  path: string
  /** Names and values in turn. */
  headers: string[]
  /** Why nothing may be sent there; null as a rule. */
  refused: string | null
}

export interface UpstreamReply {
  kind: 'reply'
  status: number
  headers: Record<string, string | string[] | undefined>
  /** The body (domain/byte-pieces.ts): to copy megabytes into one buffer would hold the thread. */
  pieces: Buffer[]
  bytes: number
  /** All of the request has left this process: its bytes are no longer looked at. */
  hasLeft: boolean
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
export interface Caller {
  endpoint(target: HttpTarget): Endpoint
  call(endpoint: Endpoint, options: CallOptions): Promise<UpstreamReply | Breakdown>
  close(): Promise<void>
}

export const CONNECT_TIMEOUT_MS = 10_000
/** Once the answer has begun, this much silence in it means that it will not end. */
const SILENCE_MS = 60_000
export const MAX_RESPONSE_BYTES = 64 * 1024 * 1024
/** A kept connection that ends this soon was ended before the request reached the other side (decision 0004). */
const STALE_MS = 20

/** `resolve` is how names become addresses; tests bring their own. */
export function createCaller(resolve: Resolve = resolveName): Caller {
  const lookup = guardedLookup(resolve)
  const options = {
    // One call a connection: a slow completion must not hold up another.
    pipelining: 1,
    // The breaking of one connection must end one call, so HTTP/2 is not offered.
    allowH2: false,
    // Our own deadline is the smaller one.
    headersTimeout: 0,
    bodyTimeout: SILENCE_MS,
    maxResponseSize: MAX_RESPONSE_BYTES,
  }
  const connect = { timeout: CONNECT_TIMEOUT_MS, lookup, allowH2: false, maxCachedSessions: 100 }
  const linesTo = new Map<string, Lines>()

  function linesFor(origin: string): Lines {
    const lines = linesTo.get(origin) ?? new Lines(origin, options, connect)
    linesTo.set(origin, lines)
    return lines
  }

  return {
    endpoint(target) {
      const url = new URL(target.url)
      // A literal address is never looked up, so it is checked here; a name is checked whenever a connection is made.
      const refusal = refusedHost(url.hostname)
      const refused = refusal === null ? null : `${url.hostname} is ${refusal}`
      const headers = Object.entries(target.headers).flat()
      return { lines: linesFor(url.origin), path: url.pathname + url.search, headers, refused }
    },
    call: (endpoint, options) =>
      new Promise((resolve) => {
        new Exchange(endpoint, options, resolve).start()
      }),
    async close() {
      await Promise.all([...linesTo.values()].map((lines) => lines.destroy()))
    },
  }
}

/** One call on the wire, from dispatch to its single outcome. */
class Exchange implements Dispatcher.DispatchHandler {
  private readonly endpoint: Endpoint
  private readonly options: CallOptions
  private readonly resolve: (outcome: UpstreamReply | Breakdown) => void
  private line: Line | null = null
  private controller: Dispatcher.DispatchController | null = null
  private settled = false
  private sent = false
  private reused = false
  private sentAt = 0
  private status = 0
  private headers: UpstreamReply['headers'] = {}
  private readonly body = new BytePieces()
  private deadline: NodeJS.Timeout | undefined
  private stopListening: (() => void) | undefined

  constructor(endpoint: Endpoint, options: CallOptions, resolve: (outcome: UpstreamReply | Breakdown) => void) {
    this.endpoint = endpoint
    this.options = options
    this.resolve = resolve
  }

  start(): void {
    const { method, body, timeoutMs, presence } = this.options
    if (presence?.left === true) {
      this.resolve({ kind: 'caller-left' })
      return
    }
    if (this.endpoint.refused !== null) {
      this.resolve({ kind: 'refused-address', detail: this.endpoint.refused })
      return
    }
    this.deadline = setTimeout(() => this.stop({ kind: 'timeout', phase: this.phase() }), timeoutMs)
    this.stopListening = presence?.onLeave(() => this.stop({ kind: 'caller-left' }))
    const { lines, path, headers } = this.endpoint
    this.line = lines.take()
    try {
      this.line.client.dispatch({ method, path, ...payload(headers, body) }, this)
    } catch (error) {
      this.settle(breakdownOf(error, false))
      lines.drop(this.line)
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller
    // Our deadline passed, or the caller left, while the connection was still being made.
    if (this.settled) controller.abort(new Error('no longer wanted'))
  }

  onRequestSent(): void {
    this.sent = true
    this.sentAt = performance.now()
    this.reused = this.line?.used === true
  }

  onResponseStart(_controller: unknown, status: number, headers: UpstreamReply['headers']): void {
    this.status = status
    this.headers = headers
    if (this.line !== null) this.line.used = true
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    this.body.add(chunk)
  }

  onResponseEnd(): void {
    if (this.line !== null) this.endpoint.lines.giveBack(this.line)
    const { status, headers, body, line } = this
    const hasLeft = line?.socket?.writableLength === 0
    this.settle({ kind: 'reply', status, headers, pieces: body.all(), bytes: body.bytes, hasLeft })
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (this.line !== null) this.endpoint.lines.drop(this.line)
    this.settle(breakdownOf(error, this.status > 0 || (this.sent && !this.isStale(error))))
  }

  /** undici says "sent" when the socket has taken the bytes, which a connection that is just ending also does. */
  private isStale(error: Error): boolean {
    return this.reused && ENDED.has(errorCode(error)) && performance.now() - this.sentAt <= STALE_MS
  }

  private phase(): 'connect' | 'headers' | 'body' {
    if (this.controller === null) return 'connect'
    return this.status === 0 ? 'headers' : 'body'
  }

  private stop(outcome: Breakdown): void {
    this.settle(outcome)
    this.controller?.abort(new Error('no longer wanted'))
  }

  private settle(outcome: UpstreamReply | Breakdown): void {
    if (this.settled) return
    this.settled = true
    clearTimeout(this.deadline)
    this.stopListening?.()
    this.resolve(outcome)
  }
}

function payload(headers: string[], body: CallOptions['body']) {
  if (!isSliced(body)) return { headers, body }
  const sliced = Readable.from(slicesOf(body), { objectMode: false })
  return { headers: [...headers, 'content-length', String(body.length)], body: sliced }
}

const ENDED = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])

const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'ETIMEDOUT',
])

function breakdownOf(error: unknown, sent: boolean): Stoppage {
  const code = errorCode(error)
  if (code === REFUSED_ADDRESS) return { kind: 'refused-address', detail: (error as Error).message }
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return { kind: 'timeout', phase: 'connect' }
  if (code === 'UND_ERR_BODY_TIMEOUT') return { kind: 'timeout', phase: 'body' }
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return { kind: 'too-large' }
  const isTls = /^(ERR_TLS|ERR_SSL|EPROTO$)|CERT|^UNABLE_TO_/.test(code)
  if (!sent && (isTls || UNREACHABLE.has(code))) return { kind: 'unreachable', detail: code }
  return { kind: 'broken', sent, detail: code }
}

/** Node gathers the failures of several addresses in one AggregateError; the first one says why. */
function errorCode(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return errorCode(error.errors[0])
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code
  return error instanceof Error ? error.name : 'unknown'
}
