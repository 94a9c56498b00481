import { type Masked, Placeholders } from '../../domain/content/placeholders.ts'
import type { SaidFormat } from '../../endpoints/said.ts'
import { SAID_FORMATS } from '../../endpoints/said-formats.ts'
import type { CallReply, Reply } from '../../http/call.ts'
import { type BothPlaceholders, RestoredStream } from './restored-stream.ts'

/** Most answers call no tool. */
class Both implements BothPlaceholders {
  readonly text: Placeholders
  readonly #masked: Masked
  #json: Placeholders | null = null

  constructor(masked: Masked) {
    this.#masked = masked
    this.text = new Placeholders(masked)
  }

  get json(): Placeholders {
    this.#json ??= new Placeholders(this.#masked, true)
    return this.#json
  }
}

/** Puts back in an answer what its guardrail had masked, for this caller: what is kept of the answer stays masked. */
export class Restoring {
  /** The stream to the caller. */
  readonly live: RestoredStream
  readonly #placeholders: BothPlaceholders
  readonly #format: SaidFormat

  constructor(masked: Masked, format: SaidFormat) {
    this.#placeholders = new Both(masked)
    this.#format = format
    this.live = this.open()
  }

  /** Null: the answers of this endpoint are no texts of a model. */
  static of(masked: Masked, endpoint: string): Restoring | null {
    const format = SAID_FORMATS[endpoint]
    return format === undefined ? null : new Restoring(masked, format)
  }

  /** For the same stream, from its beginning. */
  open(): RestoredStream {
    return new RestoredStream(this.#placeholders, this.#format)
  }

  /** An answer that is too deep to be written stays as it is. */
  reply(reply: CallReply): CallReply {
    try {
      if ('rest' in reply) return typeof reply.rest === 'string' ? { ...reply, rest: this.live.end(reply.rest) } : reply
      return reply.status === 200 ? { ...reply, body: this.#body(reply) } : reply
    } catch (error) {
      if (error instanceof RangeError) return reply
      throw error
    }
  }

  #body({ headers, body }: Reply): Reply['body'] {
    const type = headers['content-type'] ?? ''
    const text = typeof body === 'string' ? body : Buffer.from(body).toString('utf8')
    if (type.startsWith('text/event-stream')) return this.open().end(text)
    return type.startsWith('application/json') ? this.#whole(text) : body
  }

  #whole(json: string): string {
    const answer = JSON.parse(json)
    for (const { in: holder, field, isJson } of this.#format.whole(answer)) {
      holder[field] = (isJson === true ? this.#placeholders.json : this.#placeholders.text).restore(
        holder[field] as string,
      ).text
    }
    return JSON.stringify(answer)
  }
}
