import type { IncomingMessage } from 'node:http'
import { BytePieces } from '../domain/byte-pieces.ts'
import { GatewayError } from '../domain/errors.ts'
import { worded } from '../domain/wording/worded.ts'
import type { Arrival, Arrivals } from './arrivals.ts'
import { CallerLeftError } from './call.ts'
import type { Client } from './connections.ts'

export interface BodyRules {
  limitBytes: number
  /** Takes memory for the next bytes of a body of at least `bodyBytes`, or throws. */
  take(bytes: number, bodyBytes: number): void
  arrivals: Arrivals
}

/**
 * Reads a body up to a limit. A declared length over the limit, or without memory for it, is refused before a byte is read.
 * Node discards what the client still sends, so that the refusal reaches it and not a reset connection.
 */
export async function readBody(request: IncomingMessage, client: Client, rules: BodyRules): Promise<Buffer[]> {
  const declared = Number(request.headers['content-length'] ?? 0)
  if (declared > rules.limitBytes) throw tooLarge(rules.limitBytes, declared)
  rules.take(declared, declared)
  if (client.left || request.destroyed) throw leftWhileSending()
  if (client.unreadable !== null && !request.complete) throw client.unreadable
  return new Promise((resolve, reject) => new ArrivingBody(request, client, { ...rules, declared, resolve, reject }))
}

export function tooLarge(limitBytes: number, bytes: number): GatewayError {
  const refused = { model: null, bytes }
  return new GatewayError('request_too_large', worded`The request body is larger than ${limitBytes} bytes.`, {
    refused,
  })
}

export function leftWhileSending(): CallerLeftError {
  return new CallerLeftError('the caller left while sending the body')
}

interface Reading extends BodyRules {
  declared: number
  resolve(pieces: Buffer[]): void
  reject(error: Error): void
}

class ArrivingBody implements Arrival {
  lastLook = -1
  readonly #request: IncomingMessage
  readonly #client: Client
  readonly #reading: Reading
  readonly #stopListening: () => void
  #pieces = new BytePieces()

  constructor(request: IncomingMessage, client: Client, reading: Reading) {
    this.#request = request
    this.#client = client
    this.#reading = reading
    this.#stopListening = client.onLeave(this.#leave)
    client.arriving = this
    reading.arrivals.begin(this)
    // 'error' means that the body was cut off, and with it the connection.
    request.on('data', this.#onData).on('end', this.#onEnd).on('error', this.#leave)
  }

  get received(): number {
    return this.#pieces.bytes
  }

  fail(error: Error): void {
    // It has arrived completely; what follows is not part of this call.
    if (!this.#request.complete) this.#refuse(error)
  }

  #refuse(error: Error): void {
    this.#stop()
    this.#request.resume()
    this.#reading.reject(error)
  }

  #onData = (piece: Buffer): void => {
    const { declared, limitBytes, take } = this.#reading
    const received = this.#pieces.bytes + piece.length
    try {
      if (received > limitBytes) throw tooLarge(limitBytes, received)
      // Without a declared length, memory is taken as bytes arrive.
      if (received > declared) take(piece.length, received)
    } catch (error) {
      this.#refuse(error as Error)
      return
    }
    this.#pieces.add(piece)
  }

  #onEnd = (): void => {
    const pieces = this.#pieces.all()
    this.#stop()
    this.#reading.resolve(pieces)
  }

  #leave = (): void => {
    this.#stop()
    this.#reading.reject(leftWhileSending())
  }

  /** Node keeps the request object while the client sends: it must not hold the body. */
  #stop(): void {
    this.#request.off('data', this.#onData).off('end', this.#onEnd).off('error', this.#leave)
    this.#stopListening()
    this.#reading.arrivals.end(this)
    this.#client.arriving = null
    this.#pieces = new BytePieces()
  }
}
