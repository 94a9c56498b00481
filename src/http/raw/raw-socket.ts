import type { Server as HttpServer } from 'node:http'
import type { Socket } from 'node:net'
import type { Arrival } from '../arrivals.ts'
import type { Bodies, Sink, StreamHead, StreamRest } from '../call.ts'
import type { Connections } from '../connections.ts'
import { chunkOf, lastChunks, SocketSink } from '../sinks.ts'
import { GrowingBuffer } from './growing-buffer.ts'
import { PlainCall } from './plain-call.ts'
import { type Asked, type PlainHeaders, readPlainHead } from './plain-head.ts'

/** A route that is served on raw sockets. */
export interface RawSocketRoute {
  /** Of its requests, with the line end, or as far as all of them are the same. */
  requestLine: string
  /** The rest of such a line; null: it is left to `node:http`. */
  readRest?(rest: string): Asked | null
  /** The head of a streamed answer, as it is sent. */
  streamHead(head: StreamHead, id: string): string
  /** Resolves with the whole answer or the end of a streamed one; null to hang up. */
  respond(call: PlainCall): Promise<RawAnswer | null>
  /** Decides, usually at once, what a call gets instead of being taken; null: it is taken. */
  enter(decide: (refusal: RawAnswer | null) => void): void
  newRequestId(): string
}

export interface RawSocketOptions {
  /** Without one, `node:http` serves everything. */
  routes: readonly RawSocketRoute[]
  connections: Connections
  bodies: Bodies
  idleMs: number
  /** A call that another thread serves. */
  isForOtherThread?(header: (name: string) => string | undefined): boolean
}

export type RawAnswer = ({ head: string; body: string | Uint8Array } | StreamRest) & {
  /** The connection closes after this answer. */
  isLast: boolean
}

export interface RawSockets {
  /** Closes connections that wait for a next request. */
  endIdle(): void
  destroy(): void
}

/** Gives a connection to `node:http` for good. */
type HandToNodeHttp = (socket: Socket) => void

/** Bytes of the next requests that wait for the answer to this one. Nothing else bounds them. */
const MAX_WAITING_BYTES = 64 * 1024

/**
 * Serves the busy routes on the bare socket, which is cheaper than `node:http`, as long as requests are plain
 * (plain-head.ts). With the first one that is not, `node:http` gets the connection for good, with every byte that has not
 * been answered. Figures: decision 0001.
 */
export function serveRawSockets(
  server: HttpServer,
  handToNodeHttp: HandToNodeHttp,
  options: RawSocketOptions,
): RawSockets {
  const open = new Set<RawConnection>()
  if (options.routes.length === 0) server.on('connection', handToNodeHttp)
  else {
    server.on('connection', (socket: Socket) => {
      const connection = new RawConnection(socket, options, (isClosed) => {
        open.delete(connection)
        if (!isClosed) handToNodeHttp(socket)
      })
      open.add(connection)
    })
  }
  return {
    endIdle() {
      for (const connection of open) connection.endIfIdle()
    },
    destroy() {
      for (const connection of open) connection.socket.destroy()
    },
  }
}

/** From now on `node:http` only gets the connections that are handed to it. */
export function detachNodeHttp(server: HttpServer): HandToNodeHttp {
  const listeners = server.listeners('connection')
  server.removeAllListeners('connection')
  return (socket) => {
    for (const listener of listeners) listener.call(server, socket)
  }
}

const NOTHING = Buffer.alloc(0)

/** A body that has not arrived completely. */
interface Arriving {
  bytes: number
  resolve(body: Buffer): void
  reject(error: Error): void
}

interface PlainRequest {
  route: RawSocketRoute
  headers: PlainHeaders
}

class RawConnection implements Arrival {
  lastLook = -1
  readonly socket: Socket
  readonly #options: RawSocketOptions
  readonly #leave: (isClosed: boolean) => void
  #waiting: Buffer = NOTHING
  readonly #joining = new GrowingBuffer()
  #last: PlainRequest | null = null
  #busy = false
  #arriving: Arriving | null = null
  /** The answer was sent before all of the request had arrived. */
  #answered = false
  /** A streamed answer has begun. */
  #isStreaming = false

  constructor(socket: Socket, options: RawSocketOptions, leave: (isClosed: boolean) => void) {
    this.socket = socket
    this.#options = options
    this.#leave = leave
    socket.on('data', this.#onData).on('end', this.#onEnd).on('close', this.#onClose)
    socket.on('error', this.#onError).on('timeout', this.#onTimeout)
    socket.setTimeout(options.idleMs)
  }

  endIfIdle(): void {
    if (!this.#busy && this.#waiting.length === 0) this.socket.destroy()
  }

  #onData = (chunk: Buffer): void => {
    this.#waiting = this.#waiting.length === 0 ? chunk : this.#joining.join(this.#waiting, chunk)
    if (this.#arriving !== null) this.#arrive(this.#arriving)
    else if (!this.#busy) this.#next(false)
    else if (this.#waiting.length > MAX_WAITING_BYTES) this.socket.pause()
  }

  /** As in `node:http`, a client that closes its sending side has left. */
  #onEnd = (): void => {
    this.socket.end()
  }

  #onClose = (): void => {
    this.#options.bodies.arrivals.end(this)
    this.#leave(true)
  }

  #onError = (): void => {
    this.socket.destroy()
  }

  #onTimeout = (): void => {
    if (!this.#busy || this.#arriving !== null) this.socket.destroy()
  }

  #next(isBehindAnswer: boolean): void {
    const request = this.#readHead()
    if (request === null) {
      if (isBehindAnswer) this.#options.connections.leftBehindAnswer(this.socket)
      this.#handOver()
      return
    }
    const { route, headers } = request
    this.#busy = true
    this.#last = request
    this.#take(headers.head.length)
    const body = this.#waiting.length >= headers.bodyBytes ? this.#take(headers.bodyBytes) : this.#await(headers)
    const receivedAt = performance.now()
    route.enter((refusal) => {
      if (refusal !== null) this.#send(refusal)
      // A client that left while it waited for its turn is not served.
      else if (!this.socket.destroyed) void this.#serve(request, body, receivedAt)
    })
  }

  #readHead(): PlainRequest | null {
    const last = this.#last
    for (const route of this.#options.routes) {
      const known = last?.route === route ? last.headers : null
      const headers = readPlainHead(this.#waiting, route.requestLine, known, route.readRest)
      if (headers === null) continue
      if (headers === known) return last
      // `node:http` passes it on.
      return this.#options.isForOtherThread?.((name) => headers.fields.get(name)) === true ? null : { route, headers }
    }
    return null
  }

  #take(bytes: number): Buffer {
    const taken = this.#waiting.subarray(0, bytes)
    if (this.#waiting.length > bytes) this.#waiting = this.#waiting.subarray(bytes)
    else {
      this.#waiting = NOTHING
      this.#joining.free()
    }
    return taken
  }

  async #serve({ route, headers }: PlainRequest, body: Buffer | Promise<Buffer>, receivedAt: number): Promise<void> {
    const { connections, bodies } = this.#options
    const client = connections.arrive(this.socket)
    const id = route.newRequestId()
    const openStream = (head: StreamHead, first: string): Sink => {
      this.#isStreaming = true
      this.socket.write(route.streamHead(head, id) + chunkOf(first))
      return new SocketSink(this.socket)
    }
    const known = { id, presence: client, receivedAt, openStream }
    const call = new PlainCall(headers, body, known, bodies.memory)
    const answer = await route.respond(call)
    call.release()
    connections.answered(this.socket, client)
    // A stream that cannot be ended properly is cut: its client must not take it for whole.
    const isCut = answer !== null && 'rest' in answer && answer.isCut === true
    if (answer === null || isCut || (this.#isStreaming && !('rest' in answer))) this.socket.destroy()
    else this.#send(answer)
  }

  #await({ bodyBytes }: PlainHeaders): Promise<Buffer> {
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
    // A call that is refused earlier does not await it.
    promise.catch(() => {})
    this.#arriving = { bytes: bodyBytes, resolve, reject }
    this.#options.bodies.arrivals.begin(this)
    return promise
  }

  get received(): number {
    return this.#waiting.length
  }

  /** The call ends with this, and the connection with the call. */
  fail(error: Error): void {
    if (this.#answered) this.socket.destroy()
    else this.#arriving?.reject(error)
  }

  #arrive({ bytes, resolve }: Arriving): void {
    if (this.#waiting.length < bytes) return
    this.#options.bodies.arrivals.end(this)
    this.#arriving = null
    resolve(this.#take(bytes))
    if (this.#answered) this.#ready()
  }

  #send(answer: RawAnswer): void {
    const { socket } = this
    if (!socket.writable) return
    const isTaken = this.#write(answer)
    const { isLast } = answer
    // A body without a waiting caller is dropped.
    if (isLast) this.#arriving === null ? socket.end() : socket.destroySoon()
    else if (this.#arriving !== null) this.#answered = true
    else if (isTaken) this.#ready()
    else socket.once('drain', () => this.#ready())
  }

  #write(answer: RawAnswer): boolean {
    const { socket } = this
    if ('rest' in answer) return socket.write(lastChunks(answer))
    const { head, body } = answer
    if (typeof body === 'string') return socket.write(head + body)
    socket.cork()
    socket.write(head, 'latin1')
    const isTaken = socket.write(body)
    socket.uncork()
    return isTaken
  }

  #ready(): void {
    this.#busy = false
    this.#answered = false
    this.#isStreaming = false
    if (this.socket.isPaused()) this.socket.resume()
    if (this.#waiting.length > 0) this.#next(true)
  }

  /** `node:http` continues from the first byte that has not been answered. */
  #handOver(): void {
    const { socket } = this
    socket.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onClose)
    socket.off('error', this.#onError).off('timeout', this.#onTimeout)
    socket.setTimeout(0)
    socket.pause()
    if (this.#waiting.length > 0) socket.unshift(this.#waiting)
    this.#leave(false)
    socket.resume()
  }
}
