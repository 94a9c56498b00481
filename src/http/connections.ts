import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { GatewayError } from '../domain/errors.ts'
import type { Presence } from '../domain/presence.ts'
import type { Arrival } from './arrivals.ts'

/** The caller of one request, who may hang up. */
export class Caller implements Presence {
  left = false
  /** The body of this request while it is being read. */
  arriving: Arrival | null = null
  /** Why no more of this request can be read; null as a rule. */
  unreadable: GatewayError | null = null
  // Most calls have one listener at a time, the wait for a provider: a set for each call would be made for nothing.
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

interface Client {
  callers: Set<Caller>
  /** Of the newest request that Node has read, until all of the answer is written; those before it are written first. */
  newest: ServerResponse | null
  /** What is read next came while a call was answered; nothing of it is a request so far. */
  isBehindAnswer: boolean
  /** No request can be read any more: the connection ends with the newest answer. */
  isUnreadable: boolean
}

/**
 * Who waits on which connection. A connection is listened to once, not once for each request; a caller may send many
 * requests at once on one.
 */
export class Connections {
  readonly #clients = new Map<Socket, Client>()

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.#clients.set(socket, { callers: new Set(), newest: null, isBehindAnswer: false, isUnreadable: false })
      socket.once('close', () => {
        this.#leave(socket)
        this.#clients.delete(socket)
      })
    })
  }

  /** `response`: where Node answers this request. */
  arrive(socket: Socket, response: ServerResponse | null = null): Caller {
    const caller = new Caller()
    const client = this.#clients.get(socket)
    if (client === undefined) caller.left = true
    else {
      client.callers.add(caller)
      client.isBehindAnswer = false
      if (response !== null) followAnswer(client, response, socket)
    }
    return caller
  }

  answered(socket: Socket, caller: Caller): void {
    this.#clients.get(socket)?.callers.delete(caller)
  }

  /** What has come behind the call that was just answered is read by somebody else now. */
  leftBehindAnswer(socket: Socket): void {
    const client = this.#clients.get(socket)
    if (client !== undefined) client.isBehindAnswer = true
  }

  /**
   * No request can be read on this connection any more. The one that was arriving fails; the others are complete, their
   * answers go out, and then the connection ends. False: there is none, and none has just been answered.
   */
  becameUnreadable(socket: Socket, error: GatewayError): boolean {
    const client = this.#clients.get(socket)
    if (client === undefined) return false
    for (const caller of client.callers) {
      // A call that waits for its turn begins to read later.
      caller.unreadable = error
      caller.arriving?.fail(error)
    }
    client.isUnreadable ||= client.newest !== null
    if (client.newest === null && client.isBehindAnswer) socket.end()
    return client.isUnreadable || client.isBehindAnswer
  }

  hasCallers(socket: Socket): boolean {
    return (this.#clients.get(socket)?.callers.size ?? 0) > 0
  }

  /** Told at once: what waits for a provider must end because of us, not because the provider's connection is closed. */
  sendAway(): void {
    for (const socket of this.#clients.keys()) this.#leave(socket)
  }

  /** Connections on which nothing was ever sent: Node takes them for busy, and a drain would wait for each. */
  endSilent(): void {
    for (const socket of this.#clients.keys()) if (socket.bytesRead === 0) socket.destroy()
  }

  #leave(socket: Socket): void {
    for (const caller of this.#clients.get(socket)?.callers ?? []) caller.leave()
  }
}

function followAnswer(client: Client, response: ServerResponse, socket: Socket): void {
  client.newest = response
  response.once('close', () => {
    if (client.newest !== response) return
    client.newest = null
    if (client.isUnreadable) socket.end()
  })
}
