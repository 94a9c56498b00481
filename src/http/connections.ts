import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { GatewayError } from '../domain/errors.ts'
import type { Presence } from '../domain/presence.ts'
import type { Arrival } from './arrivals.ts'

/** The client of one request, who may hang up. */
export class Client implements Presence {
  left = false
  /** The body of this request while it is being read. */
  arriving: Arrival | null = null
  /** Why no more of this request can be read; usually null. */
  unreadable: GatewayError | null = null
  // Most calls have one listener at a time, the call to a provider, and need no set.
  #first: (() => void) | null = null
  #others: Set<() => void> | null = null

  onLeave(listener: () => void): () => void {
    if (this.#first === null) {
      this.#first = listener
      return () => {
        if (this.#first === listener) this.#first = null
      }
    }
    this.#others ??= new Set()
    const others = this.#others.add(listener)
    return () => others.delete(listener)
  }

  leave(): void {
    if (this.left) return
    this.left = true
    const listeners = [this.#first, ...(this.#others ?? [])]
    this.#first = null
    this.#others = null
    for (const listener of listeners) listener?.()
  }
}

interface ClientConnection {
  /** Of the requests that have no answer yet. */
  clients: Set<Client>
  /** Of the newest request that Node has read, until its answer is written; older answers are written first. */
  newest: ServerResponse | null
  /** What is read next came while a call was answered; none of it is a request so far. */
  isBehindAnswer: boolean
  /** No further request can be read: the connection closes after the newest answer. */
  isUnreadable: boolean
}

/**
 * Which requests are waiting on which connection. There is one listener for each connection, which may carry many
 * requests at once.
 */
export class Connections {
  readonly #open = new Map<Socket, ClientConnection>()

  constructor(server: Server, onCount: (open: number) => void = () => {}) {
    server.on('connection', (socket: Socket) => {
      this.#open.set(socket, { clients: new Set(), newest: null, isBehindAnswer: false, isUnreadable: false })
      onCount(this.#open.size)
      socket.once('close', () => {
        this.#leave(socket)
        this.#open.delete(socket)
        onCount(this.#open.size)
      })
    })
  }

  /** `response`: where Node answers this request. */
  arrive(socket: Socket, response: ServerResponse | null = null): Client {
    const client = new Client()
    const connection = this.#open.get(socket)
    if (connection === undefined) client.left = true
    else {
      connection.clients.add(client)
      connection.isBehindAnswer = false
      if (response !== null) followAnswer(connection, response, socket)
    }
    return client
  }

  answered(socket: Socket, client: Client): void {
    this.#open.get(socket)?.clients.delete(client)
  }

  /** What came behind the call that was just answered is now read by `node:http`. */
  leftBehindAnswer(socket: Socket): void {
    const connection = this.#open.get(socket)
    if (connection !== undefined) connection.isBehindAnswer = true
  }

  /**
   * No further request can be read on this connection. The one that was arriving fails; the others are complete: they
   * are answered, and then the connection closes. False: there is none, and none has just been answered.
   */
  becameUnreadable(socket: Socket, error: GatewayError): boolean {
    const connection = this.#open.get(socket)
    if (connection === undefined) return false
    for (const client of connection.clients) {
      // A call that waits for its turn begins to read later.
      client.unreadable = error
      client.arriving?.fail(error)
    }
    connection.isUnreadable ||= connection.newest !== null
    if (connection.newest === null && connection.isBehindAnswer) socket.end()
    return connection.isUnreadable || connection.isBehindAnswer
  }

  hasClients(socket: Socket): boolean {
    return (this.#open.get(socket)?.clients.size ?? 0) > 0
  }

  /** At once: calls to providers must end because of us, not because their own connection closes. */
  sendAway(): void {
    for (const socket of this.#open.keys()) this.#leave(socket)
  }

  /** Connections on which nothing was ever sent: Node takes them for busy, and a drain would wait for them. */
  endSilent(): void {
    for (const socket of this.#open.keys()) if (socket.bytesRead === 0) socket.destroy()
  }

  #leave(socket: Socket): void {
    for (const client of this.#open.get(socket)?.clients ?? []) client.leave()
  }
}

function followAnswer(connection: ClientConnection, response: ServerResponse, socket: Socket): void {
  connection.newest = response
  response.once('close', () => {
    if (connection.newest !== response) return
    connection.newest = null
    if (connection.isUnreadable) socket.end()
  })
}
