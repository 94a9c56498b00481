import { isUtf8 } from 'node:buffer'
import { joined } from '../../domain/byte-pieces.ts'
import type { JsonObject } from '../../domain/request/call-request.ts'
import { litellmKey } from '../../endpoints/litellm-key.ts'
import type { Call } from '../../http/call.ts'
import { litellmBody } from './litellm-body.ts'

interface Spoken {
  model?: string | null
  keepsMetadata?: boolean
}

/**
 * A call from a client of LiteLLM, as the steps of a call know it: the key in one header, the wishes about cache and
 * session in ours, and a body without LiteLLM's own fields.
 */
export class LitellmCall implements Call {
  readonly id: string
  readonly method: string
  readonly params: Call['params']
  readonly presence: Call['presence']
  readonly openStream: Call['openStream']
  readonly receivedAt: number
  readonly remoteAddress: string | undefined
  /** Fields of the body that had no effect. */
  ignored: readonly string[] = []
  /** What the body said for the tags of the row; null: nothing. */
  tags: JsonObject | null = null
  readonly #call: Call
  readonly #spoken: Spoken
  #cache: string | undefined
  #session: string | undefined

  constructor(call: Call, spoken: Spoken = {}) {
    this.#call = call
    this.#spoken = spoken
    this.id = call.id
    this.method = call.method
    this.params = call.params
    this.presence = call.presence
    this.openStream = call.openStream
    this.receivedAt = call.receivedAt
    this.remoteAddress = call.remoteAddress
    if (call.kept !== undefined) this.kept = call.kept
  }

  kept?: NonNullable<Call['kept']>

  query(): Record<string, string> {
    return this.#call.query()
  }

  header(name: string): string | undefined {
    const own = this.#call.header(name)
    switch (name) {
      case 'authorization': {
        const key = litellmKey(this.#call)
        return key === null ? own : `Bearer ${key}`
      }
      case 'x-gateway-cache':
        return own ?? this.#cache
      case 'x-gateway-session':
        return own ?? this.#call.header('x-litellm-session-id') ?? this.#session
      default:
        return own
    }
  }

  headers(): Iterable<readonly [string, string]> {
    return this.#call.headers()
  }

  readBody(limitBytes: number, owner?: string): Buffer[] | Promise<Buffer[]> {
    const read = this.#call.readBody(limitBytes, owner)
    return read instanceof Promise ? read.then((chunks) => this.#translated(chunks)) : this.#translated(read)
  }

  #translated(chunks: Buffer[]): Buffer[] {
    const bytes = joined(chunks)
    if (!isUtf8(bytes)) return chunks
    const { model = null, keepsMetadata = false } = this.#spoken
    const body = litellmBody(bytes.toString('utf8'), { model, keepsMetadata })
    if (body === null) return chunks
    this.ignored = body.ignored
    this.tags = body.tags
    this.#cache = body.cache ?? undefined
    this.#session = body.session ?? undefined
    return [Buffer.from(body.json)]
  }
}
