import type { Server as HttpServer } from 'node:http'
import type { Socket } from 'node:net'
import type { Arrival } from './arrivals.ts'
import type { Bodies } from './call.ts'
import type { Connections } from './connections.ts'
import { GrowingBuffer } from './growing-buffer.ts'
import { PlainCall } from './plain-call.ts'
import { type PlainHeaders, readPlainHead } from './plain-head.ts'

/** What the lane does with a request; resolves with the whole answer as it goes over the wire, null to hang up. */
export interface LaneDesk {
  /** The one path that it serves; null: all is Node's. */
  path: string | null
  respond(call: PlainCall): Promise<LaneAnswer | null>
  /** Tells, at once as a rule, what a call gets instead of being taken; null: it is taken. */
  enter(decide: (refusal: LaneAnswer | null) => void): void
  newRequestId(): string
  connections: Connections
  bodies: Bodies
}

export interface LaneAnswer {
  head: string
  body: string | Uint8Array
  /** No other request is taken on this connection. */
  isLast: boolean
}

/** Bytes of the next requests that wait for the answer to this one: nobody counts them, so they are few. */
const MOST_WAITING_BYTES = 64 * 1024

/**
 * Serves the one busy path without `node:http`, which saves a call an eighth to a fifth of its CPU, as long as what comes is
 * plain (plain-head.ts). With the first request on a connection that is not, the connection
 * goes to Node for good, with every byte that has not been answered. Figures: decision 0011.
 */
export function openLane(server: HttpServer, toNode: ToNode, desk: LaneDesk, idleMs: number): Lane {
  if (desk.path === null) {
    server.on('connection', toNode)
    return { endIdle() {}, destroy() {} }
  }
  const line = `POST ${desk.path} HTTP/1.1\r\n`
  const open = new Set<LaneConnection>()
  server.on('connection', (socket: Socket) => {
    const connection = new LaneConnection(socket, { desk, line, idleMs }, (isClosed) => {
      open.delete(connection)
      if (!isClosed) toNode(socket)
    })
    open.add(connection)
  })
  return {
    endIdle() {
      for (const connection of open) connection.endIfIdle()
    },
    destroy() {
      for (const connection of open) connection.socket.destroy()
    },
  }
}

type ToNode = (socket: Socket) => void

/** What Node would do with a new connection; from now on somebody else decides which ones it gets. */
export function takeConnections(server: HttpServer): ToNode {
  const listeners = server.listeners('connection')
  server.removeAllListeners('connection')
  return (socket) => {
    for (const listener of listeners) listener.call(server, socket)
  }
}

export interface Lane {
  /** Connections that wait for a next request need not be waited for. */
  endIdle(): void
  destroy(): void
}

interface Place {
  desk: LaneDesk
  line: string
  idleMs: number
}

const NOTHING = Buffer.alloc(0)

/** A body of which not all has come. */
interface Arriving {
  bytes: number
  resolve(body: Buffer): void
  reject(error: Error): void
}

class LaneConnection implements Arrival {
  lastLook = -1
  readonly socket: Socket
  readonly #place: Place
  readonly #leave: (isClosed: boolean) => void
  #waiting: Buffer = NOTHING
  readonly #joining = new GrowingBuffer()
  #last: PlainHeaders | null = null
  #busy = false
  #arriving: Arriving | null = null
  /** The answer is out although not all of the request is in. */
  #answered = false

  constructor(socket: Socket, place: Place, leave: (isClosed: boolean) => void) {
    this.socket = socket
    this.#place = place
    this.#leave = leave
    socket.on('data', this.#onData).on('end', this.#onEnd).on('close', this.#onClose)
    socket.on('error', this.#onError).on('timeout', this.#onTimeout)
    socket.setTimeout(place.idleMs)
  }

  endIfIdle(): void {
    if (!this.#busy && this.#waiting.length === 0) this.socket.destroy()
  }

  #onData = (chunk: Buffer): void => {
    this.#waiting = this.#waiting.length === 0 ? chunk : this.#joining.join(this.#waiting, chunk)
    if (this.#arriving !== null) this.#arrive(this.#arriving)
    else if (!this.#busy) this.#next(false)
    else if (this.#waiting.length > MOST_WAITING_BYTES) this.socket.pause()
  }

  /** As Node has it: whoever closes the sending half has left. */
  #onEnd = (): void => {
    this.socket.end()
  }

  #onClose = (): void => {
    this.#place.desk.bodies.arrivals.end(this)
    this.#leave(true)
  }

  #onError = (): void => {
    this.socket.destroy()
  }

  #onTimeout = (): void => {
    if (!this.#busy || this.#arriving !== null) this.socket.destroy()
  }

  #next(isBehindAnswer: boolean): void {
    const headers = readPlainHead(this.#waiting, this.#place.line, this.#last)
    if (headers === null) {
      if (isBehindAnswer) this.#place.desk.connections.leftBehindAnswer(this.socket)
      this.#handOver()
      return
    }
    this.#busy = true
    this.#last = headers
    this.#take(headers.head.length)
    const body = this.#waiting.length >= headers.bodyBytes ? this.#take(headers.bodyBytes) : this.#await(headers)
    const receivedAt = performance.now()
    this.#place.desk.enter((refusal) => {
      if (refusal !== null) this.#send(refusal)
      // Who left while waiting for a turn asked for nothing.
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
    const { desk } = this.#place
    const caller = desk.connections.arrive(this.socket)
    const known = { id: desk.newRequestId(), presence: caller, receivedAt }
    const call = new PlainCall(headers, body, known, desk.bodies.memory)
    const answer = await desk.respond(call)
    call.release()
    desk.connections.answered(this.socket, caller)
    if (answer === null) this.socket.destroy()
    else this.#send(answer)
  }

  #await({ bodyBytes }: PlainHeaders): Promise<Buffer> {
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
    // A call that is refused before does not look at it.
    promise.catch(() => {})
    this.#arriving = { bytes: bodyBytes, resolve, reject }
    this.#place.desk.bodies.arrivals.begin(this)
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
    this.#place.desk.bodies.arrivals.end(this)
    this.#arriving = null
    resolve(this.#take(bytes))
    if (this.#answered) this.#ready()
  }

  #send({ head, body, isLast }: LaneAnswer): void {
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
    // Of a body that nobody waits for any more nothing is kept.
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

  /** Node goes on from the first byte that has not been answered. */
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
