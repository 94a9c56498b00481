import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Presence } from '../domain/presence.ts'

/** The caller of one request, who may hang up. */
export class Caller implements Presence {
  left = false
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

/**
 * Who waits on which connection. A connection is listened to once, not once for each request; a caller may send many
 * requests at once on one.
 */
export class Connections {
  readonly #callers = new Map<Socket, Set<Caller>>()

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.#callers.set(socket, new Set())
      socket.once('close', () => {
        this.#leave(socket)
        this.#callers.delete(socket)
      })
    })
  }

  arrive(socket: Socket): Caller {
    const caller = new Caller()
    const callers = this.#callers.get(socket)
    if (callers === undefined) caller.left = true
    else callers.add(caller)
    return caller
  }

  answered(socket: Socket, caller: Caller): void {
    this.#callers.get(socket)?.delete(caller)
  }

  /** Told at once: what waits for a provider must end because of us, not because the provider's connection is closed. */
  sendAway(): void {
    for (const socket of this.#callers.keys()) this.#leave(socket)
  }

  /** Connections on which nothing was ever sent: Node takes them for busy, and a drain would wait for each. */
  endSilent(): void {
    for (const socket of this.#callers.keys()) if (socket.bytesRead === 0) socket.destroy()
  }

  #leave(socket: Socket): void {
    for (const caller of this.#callers.get(socket) ?? []) caller.leave()
  }
}
