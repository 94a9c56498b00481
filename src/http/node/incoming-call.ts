import type { IncomingMessage } from 'node:http'
import { readBody } from '../body.ts'
import type { Bodies, Call } from '../call.ts'
import type { Client } from '../connections.ts'

type KnownCall = Pick<Call, 'id' | 'params' | 'openStream' | 'remoteAddress'> & { presence: Client }

/** A call that `node:http` has read. */
export class IncomingCall implements Call {
  readonly id: string
  readonly params: Readonly<Record<string, string>>
  readonly presence: Client
  readonly receivedAt = performance.now()
  readonly openStream: Call['openStream']
  readonly remoteAddress: string | undefined
  readonly #request: IncomingMessage
  readonly #bodies: Bodies
  #owner: string | null = null
  #heldBytes = 0

  constructor(request: IncomingMessage, known: KnownCall, bodies: Bodies) {
    this.#request = request
    this.#bodies = bodies
    this.id = known.id
    this.params = known.params
    this.presence = known.presence
    this.openStream = known.openStream
    this.remoteAddress = known.remoteAddress
  }

  get method(): string {
    return this.#request.method ?? ''
  }

  get url(): string {
    return this.#request.url ?? ''
  }

  query(): Record<string, string> {
    return Object.fromEntries(new URLSearchParams(this.#request.url?.split('?', 2)[1] ?? ''))
  }

  header(name: string): string | undefined {
    const value = this.#request.headers[name]
    return Array.isArray(value) ? value.join(', ') : value
  }

  *headers(): Iterable<readonly [string, string]> {
    for (const name in this.#request.headers) yield [name, this.header(name) ?? '']
  }

  readBody(limitBytes: number, owner: string | null = null): Promise<Buffer[]> {
    const { memory, arrivals } = this.#bodies
    this.#owner = owner
    const take = (bytes: number, bodyBytes: number) => {
      memory.take(bytes, bodyBytes, owner)
      this.#heldBytes += bytes
    }
    return readBody(this.#request, this.presence, { limitBytes, take, arrivals })
  }

  /** The call has ended: its body is no longer needed. */
  release(): void {
    if (this.#heldBytes > 0) this.#bodies.memory.release(this.#heldBytes, this.#owner)
    this.#heldBytes = 0
  }
}
