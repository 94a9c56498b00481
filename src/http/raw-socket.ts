import type { Server as HttpServer } from 'node:http'
import type { Socket } from 'node:net'
import type { Arrival } from './arrivals.ts'
import type { Bodies } from './call.ts'
import type { Connections } from './connections.ts'
import { GrowingBuffer } from './growing-buffer.ts'
import { PlainCall } from './plain-call.ts'
import { type PlainHeaders, readPlainHead } from './plain-head.ts'

/** Serves the requests of the raw-socket path. */
export interface RawSocketHandler {
  /** The one path that is served. */
  path: string
  /** Resolves with the whole answer, null to hang up. */
  respond(call: PlainCall): Promise<RawAnswer | null>
  /** Decides, as a rule at once, what a call gets instead of being taken; null: it is taken. */
  enter(decide: (refusal: RawAnswer | null) => void): void
  newRequestId(): string
  connections: Connections
  bodies: Bodies
}

export interface RawAnswer {
  head: string
  body: string | Uint8Array
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
 * Serves the busiest path on the bare socket, which is cheaper than `node:http`, as long as requests are plain
 * (plain-head.ts). With the first one that is not, `node:http` gets the connection for good, with every byte that has not
 * been answered. Figures: decision 0011.
 */
export function serveRawSockets(
  server: HttpServer,
  handToNodeHttp: HandToNodeHttp,
  handler: RawSocketHandler | null,
  idleMs: number,
): RawSockets {
  const open = new Set<RawConnection>()
  if (handler === null) server.on('connection', handToNodeHttp)
  else {
    server.on('connection', (socket: Socket) => {
      const connection = new RawConnection(socket, handler, idleMs, (isClosed) => {
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

class RawConnection implements Arrival {
  lastLook = -1
  readonly socket: Socket
  readonly #handler: RawSocketHandler
  readonly #line: string
  readonly #leave: (isClosed: boolean) => void
  #waiting: Buffer = NOTHING
  readonly #joining = new GrowingBuffer()
  #last: PlainHeaders | null = null
  #busy = false
  #arriving: Arriving | null = null
  /** The answer was sent before all of the request had arrived. */
  #answered = false

  constructor(socket: Socket, handler: RawSocketHandler, idleMs: number, leave: (isClosed: boolean) => void) {
    this.socket = socket
    this.#handler = handler
    this.#line = `POST ${handler.path} HTTP/1.1\r\n`
    this.#leave = leave
    socket.on('data', this.#onData).on('end', this.#onEnd).on('close', this.#onClose)
    socket.on('error', this.#onError).on('timeout', this.#onTimeout)
    socket.setTimeout(idleMs)
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
    this.#handler.bodies.arrivals.end(this)
    this.#leave(true)
  }

  #onError = (): void => {
    this.socket.destroy()
  }

  #onTimeout = (): void => {
    if (!this.#busy || this.#arriving !== null) this.socket.destroy()
  }

  #next(isBehindAnswer: boolean): void {
    const headers = readPlainHead(this.#waiting, this.#line, this.#last)
    if (headers === null) {
      if (isBehindAnswer) this.#handler.connections.leftBehindAnswer(this.socket)
      this.#handOver()
      return
    }
    this.#busy = true
    this.#last = headers
    this.#take(headers.head.length)
    const body = this.#waiting.length >= headers.bodyBytes ? this.#take(headers.bodyBytes) : this.#await(headers)
    const receivedAt = performance.now()
    this.#handler.enter((refusal) => {
      if (refusal !== null) this.#send(refusal)
      // A client that left while it waited for its turn is not served.
      else if (!this.socket.destroyed) void this.#serve(headers, body, receivedAt)
    })
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

  async #serve(headers: PlainHeaders, body: Buffer | Promise<Buffer>, receivedAt: number): Promise<void> {
    const { connections, bodies } = this.#handler
    const client = connections.arrive(this.socket)
    const known = { id: this.#handler.newRequestId(), presence: client, receivedAt }
    const call = new PlainCall(headers, body, known, bodies.memory)
    const answer = await this.#handler.respond(call)
    call.release()
    connections.answered(this.socket, client)
    if (answer === null) this.socket.destroy()
    else this.#send(answer)
  }

  #await({ bodyBytes }: PlainHeaders): Promise<Buffer> {
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
    // A call that is refused earlier does not await it.
    promise.catch(() => {})
    this.#arriving = { bytes: bodyBytes, resolve, reject }
    this.#handler.bodies.arrivals.begin(this)
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
    this.#handler.bodies.arrivals.end(this)
    this.#arriving = null
    resolve(this.#take(bytes))
    if (this.#answered) this.#ready()
  }

  #send({ head, body, isLast }: RawAnswer): void {
    const { socket } = this
    if (!socket.writable) return
    let isTaken: boolean
    if (typeof body === 'string') isTaken = socket.write(head + body)
    else {
      socket.cork()
      socket.write(head, 'latin1')
      isTaken = socket.write(body)
      socket.uncork()
    }
    // Nothing is kept of a body that nobody waits for.
    if (isLast) this.#arriving === null ? socket.end() : socket.destroySoon()
    else if (this.#arriving !== null) this.#answered = true
    else if (isTaken) this.#ready()
    else socket.once('drain', () => this.#ready())
  }

  #ready(): void {
    this.#busy = false
    this.#answered = false
    if (this.socket.isPaused()) this.socket.resume()
    if (this.#waiting.length > 0) this.#next(true)
  }

  /** `node:http` goes on from the first byte that has not been answered. */
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
