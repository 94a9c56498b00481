import type { Presence } from '../../domain/presence.ts'
import { leftWhileSending, tooLarge } from '../body.ts'
import type { BodyMemory } from '../body-memory.ts'
import type { Call } from '../call.ts'
import type { Kept, PlainHeaders } from './plain-head.ts'

/** A call from a raw socket; its body may still be arriving. */
export class PlainCall implements Call {
  readonly id: string
  readonly method = 'POST'
  readonly params: Call['params']
  readonly presence: Presence
  readonly receivedAt: number
  readonly openStream: Call['openStream']
  readonly kept: Kept
  readonly #headers: PlainHeaders
  readonly #body: Buffer | Promise<Buffer>
  readonly #memory: BodyMemory
  #owner: string | null = null
  #heldBytes = 0

  constructor(
    headers: PlainHeaders,
    body: Buffer | Promise<Buffer>,
    known: Pick<Call, 'id' | 'presence' | 'receivedAt' | 'openStream'>,
    memory: BodyMemory,
  ) {
    this.#headers = headers
    this.kept = headers.kept
    this.params = headers.asked.params
    this.#body = body
    this.#memory = memory
    this.id = known.id
    this.presence = known.presence
    this.receivedAt = known.receivedAt
    this.openStream = known.openStream
  }

  query(): Record<string, string> {
    return this.#headers.asked.query
  }

  header(name: string): string | undefined {
    return this.#headers.fields.get(name)
  }

  headers(): Iterable<readonly [string, string]> {
    return this.#headers.fields
  }

  readBody(limitBytes: number, owner: string | null = null): Buffer[] | Promise<Buffer[]> {
    const { bodyBytes } = this.#headers
    if (bodyBytes > limitBytes) throw tooLarge(limitBytes, bodyBytes)
    this.#memory.take(bodyBytes, bodyBytes, owner)
    this.#owner = owner
    this.#heldBytes = bodyBytes
    if (this.#body instanceof Promise) return orLeft(this.#body, this.presence).then((body) => [body])
    return this.#body.length === 0 ? [] : [this.#body]
  }

  /** The call has ended: its body is no longer needed. */
  release(): void {
    if (this.#heldBytes > 0) this.#memory.release(this.#heldBytes, this.#owner)
    this.#heldBytes = 0
  }
}

function orLeft(body: Promise<Buffer>, presence: Presence): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(leftWhileSending())
    if (presence.left) {
      leave()
      return
    }
    const stopListening = presence.onLeave(leave)
    body.then(resolve, reject).finally(stopListening)
  })
}
