import type { GatewayError } from '../../domain/errors.ts'
import type { Stamp } from '../../domain/request/answer.ts'
import { isJsonObject, type JsonObject } from '../../domain/request/call-request.ts'
import type { ResponsesRequest } from '../../domain/request/responses.ts'
import type { Chunk, StreamEnd, StreamPart, StreamWriter } from '../../domain/request/stream.ts'
import { replaceValue } from '../replace-value.ts'
import { failedError } from './failed-error.ts'
import { eventFrame } from './frames.ts'
import { responseObject } from './response-object.ts'

/** The events of a provider that speaks this format: they pass, except for the model. Its last ones wait for `end`. */
export class NativeEvents implements StreamWriter {
  readonly #request: ResponsesRequest
  readonly #stamp: Stamp
  readonly #model: string
  readonly #held: { type: string; json: string }[] = []
  /** As the provider announced it. */
  #response: JsonObject | null = null
  #last: Chunk | null = null

  constructor(request: ResponsesRequest, stamp: Stamp) {
    this.#request = request
    this.#stamp = stamp
    this.#model = JSON.stringify(stamp.model)
  }

  write(part: StreamPart): string {
    if (part.type !== 'chunk') return ''
    const event = this.#stamped(part)
    if (!part.isEnd) return eventFrame(event.type, event.json)
    this.#held.push(event)
    return ''
  }

  end({ gateway }: StreamEnd): string {
    const last = this.#held.at(-1)
    if (last !== undefined) last.json = `${last.json.trimEnd().slice(0, -1)},"x_gateway":${JSON.stringify(gateway)}}`
    return this.#held.map(({ type, json }) => eventFrame(type, json)).join('')
  }

  /** Under the id that the stream began with: clients refuse another one. */
  fail(error: GatewayError): string {
    const failed = { status: 'failed', output: [], usage: null, error: failedError(error) } as const
    const ours = responseObject(this.#request, this.#stamp, { ...failed, output: [] })
    const response = this.#response === null ? ours : { ...this.#response, ...failed, model: this.#stamp.model }
    const number = this.#last?.value['sequence_number']
    const event = { type: 'response.failed', sequence_number: typeof number === 'number' ? number + 1 : 0, response }
    return eventFrame(event.type, JSON.stringify(event))
  }

  #stamped(chunk: Chunk): { type: string; json: string } {
    const { type, sequence_number: number, response } = (chunk.like ?? chunk).value
    if (typeof number === 'number') this.#last = chunk
    const { json } = chunk
    const name = typeof type === 'string' ? type : 'message'
    if (!isJsonObject(response)) return { type: name, json }
    this.#response = response
    return { type: name, json: replaceValue(json, ['response', 'model'], this.#model) }
  }
}
