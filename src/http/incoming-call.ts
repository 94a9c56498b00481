import type { IncomingMessage } from 'node:http'
import type { Presence } from '../domain/presence.ts'
import { readBody } from './body.ts'
import type { Call } from './call.ts'

/** One request of `node:http` as the rooms behind this one see it. */
export class IncomingCall implements Call {
  readonly id: string
  readonly params: Readonly<Record<string, string>>
  readonly presence: Presence
  readonly receivedAt = performance.now()
  readonly #request: IncomingMessage

  constructor(request: IncomingMessage, known: Pick<Call, 'id' | 'params' | 'presence'>) {
    this.#request = request
    this.id = known.id
    this.params = known.params
    this.presence = known.presence
  }

  get method(): string {
    return this.#request.method ?? ''
  }

  get remoteAddress(): string | undefined {
    return this.#request.socket.remoteAddress
  }

  query(): Record<string, string> {
    return Object.fromEntries(new URLSearchParams(this.#request.url?.split('?', 2)[1] ?? ''))
  }

  header(name: string): string | undefined {
    const value = this.#request.headers[name]
    return Array.isArray(value) ? value.join(', ') : value
  }

  readBody(limitBytes: number): Promise<Buffer[]> {
    return readBody(this.#request, this.presence, limitBytes)
  }
}
