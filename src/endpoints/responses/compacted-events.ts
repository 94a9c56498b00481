import type { GatewayError } from '../../domain/errors.ts'
import type { Stamp } from '../../domain/request/answer.ts'
import type { JsonObject } from '../../domain/request/call-request.ts'
import type { ResponsesRequest } from '../../domain/request/responses.ts'
import type { StreamEnd, StreamPart, StreamWriter } from '../../domain/request/stream.ts'
import { capsuleItem } from './capsule.ts'
import { failedError } from './failed-error.ts'
import { Frames } from './frames.ts'
import { responseObject, type State, usageBody } from './response-object.ts'

/**
 * The summary of a conversation as one sealed item, at the end: agents take exactly one, and only from a response that
 * was completed. A summary that was cut off by the model's limit is still one.
 */
export class CompactedEvents implements StreamWriter {
  readonly #request: ResponsesRequest
  readonly #stamp: Stamp
  readonly #frames = new Frames()
  #summary = ''
  #hasBegun = false

  constructor(request: ResponsesRequest, stamp: Stamp) {
    this.#request = request
    this.#stamp = stamp
  }

  write(part: StreamPart): string {
    if (part.type !== 'text-delta') return ''
    this.#summary += part.text
    return this.#begin()
  }

  end({ tokens, gateway }: StreamEnd): string {
    const begun = this.#begin()
    const item = capsuleItem(this.#summary, this.#stamp)
    const said = ['added', 'done'].map((each) =>
      this.#frames.write(`response.output_item.${each}`, { output_index: 0, item }),
    )
    const response = this.#response({ status: 'completed', output: [item], usage: usageBody(tokens) })
    return begun + said.join('') + this.#frames.write('response.completed', { response, x_gateway: gateway })
  }

  fail(error: GatewayError): string {
    const response = this.#response({ status: 'failed', output: [], usage: null, error: failedError(error) })
    return this.#begin() + this.#frames.write('response.failed', { response })
  }

  #response(state: State): JsonObject {
    return responseObject(this.#request, this.#stamp, state)
  }

  #begin(): string {
    if (this.#hasBegun) return ''
    this.#hasBegun = true
    const response = this.#response({ status: 'in_progress', output: [], usage: null })
    return ['created', 'in_progress'].map((each) => this.#frames.write(`response.${each}`, { response })).join('')
  }
}
