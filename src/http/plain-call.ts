import { GatewayError } from '../domain/errors.ts'
import type { Presence } from '../domain/presence.ts'
import { type Call, CallerLeftError } from './call.ts'
import type { PlainHeaders } from './plain-head.ts'

/** A plain request as the rooms behind this one see it; its body may still be on its way. */
export class PlainCall implements Call {
  readonly id: string
  readonly method = 'POST'
  readonly params = {}
  readonly presence: Presence
  readonly receivedAt = performance.now()
  readonly #headers: PlainHeaders
  readonly #body: Buffer | Promise<Buffer>

  constructor(headers: PlainHeaders, body: Buffer | Promise<Buffer>, id: string, presence: Presence) {
    this.#headers = headers
    this.#body = body
    this.id = id
    this.presence = presence
  }

  query(): Record<string, string> {
    return {}
  }

  header(name: string): string | undefined {
    return this.#headers.fields.get(name)
  }

  async readBody(limitBytes: number): Promise<Buffer[]> {
    if (this.#headers.bodyBytes > limitBytes) {
      throw new GatewayError('request_too_large', `The request body is larger than ${limitBytes} bytes.`)
    }
    if (this.#body instanceof Promise) return [await orLeft(this.#body, this.presence)]
    return this.#body.length === 0 ? [] : [this.#body]
  }
}

function orLeft(body: Promise<Buffer>, presence: Presence): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(new CallerLeftError('the caller left while sending the body'))
    if (presence.left) {
      leave()
      return
    }
    const stopListening = presence.onLeave(leave)
    void body.then((bytes) => {
      stopListening()
      resolve(bytes)
    })
  })
}
