import type { GatewayError } from '../../domain/errors.ts'
import type { ReasoningBlock, Stamp } from '../../domain/request/answer.ts'
import type { JsonObject } from '../../domain/request/call-request.ts'
import type { ResponsesRequest } from '../../domain/request/responses.ts'
import type { StreamEnd, StreamPart, StreamWriter } from '../../domain/request/stream.ts'
import { failedError } from './failed-error.ts'
import { Frames } from './frames.ts'
import { type ItemStatus, itemId, toolCall } from './items.ts'
import { OpenCall, type OpenItem, OpenMessage, OpenReasoning } from './open-items.ts'
import { incompleteReason, responseObject, type State, usageBody } from './response-object.ts'
import { sealReasoning } from './sealed-reasoning.ts'
import { asksForSealed } from './settings.ts'
import { type ToolNames, toolNames } from './tools.ts'

/**
 * The events of an answer that was read from another format. Items follow each other; calls stay open until the end,
 * because their fragments may be mixed, and so that no client acts on a call before its row is durable.
 */
export class TranslatedEvents implements StreamWriter {
  readonly #request: ResponsesRequest
  readonly #stamp: Stamp
  readonly #names: ToolNames
  readonly #frames = new Frames()
  /** All of the answer, in order; calls and the last one are still open. */
  readonly #items: OpenItem[] = []
  readonly #calls = new Map<number, OpenCall>()
  #speaking: OpenMessage | null = null
  #thinking: OpenReasoning | null = null
  #hasBegun = false
  #finishReason: string | null = null

  constructor(request: ResponsesRequest, stamp: Stamp) {
    this.#request = request
    this.#stamp = stamp
    this.#names = toolNames(request)
  }

  write(part: StreamPart): string {
    switch (part.type) {
      case 'text-delta':
        return part.text === '' ? '' : this.#say((message) => message.text(part.text))
      case 'refusal-delta':
        return part.text === '' ? '' : this.#say((message) => message.refusal(part.text))
      case 'reasoning-delta':
        return part.text === '' ? '' : this.#think((reasoning) => reasoning.text(part.text))
      case 'reasoning-end':
        return this.#endThought(part.block)
      case 'tool-call-start':
        return this.#startCall(part)
      case 'tool-input-delta':
        return this.#calls.get(part.index)?.input(part.text) ?? ''
      case 'message-end':
        this.#finishReason = part.finishReason
        return ''
      case 'chunk':
      case 'failed':
        return ''
    }
  }

  end({ tokens, gateway }: StreamEnd): string {
    const incomplete = incompleteReason(this.#finishReason)
    const status = incomplete === null ? 'completed' : 'incomplete'
    const begun = this.#begin()
    // An empty answer is still a message.
    const empty = this.#items.length === 0 ? this.#say(() => '') : ''
    const closed = this.#closeText(status) + this.#closeCalls(status)
    const output = this.#items.map((item) => item.item(status === 'completed' ? 'completed' : this.#statusOf(item)))
    const response = this.#response({ status, output, usage: usageBody(tokens), incomplete })
    return begun + empty + closed + this.#frames.write(`response.${status}`, { response, x_gateway: gateway })
  }

  fail(error: GatewayError): string {
    const response = this.#response({ status: 'failed', output: [], usage: null, error: failedError(error) })
    return this.#begin() + this.#frames.write('response.failed', { response })
  }

  #response(state: State): JsonObject {
    return responseObject(this.#request, this.#stamp, state)
  }

  /** The answer is announced together with its first content. */
  #begin(): string {
    if (this.#hasBegun) return ''
    this.#hasBegun = true
    const response = this.#response({ status: 'in_progress', output: [], usage: null })
    return (
      this.#frames.write('response.created', { response }) + this.#frames.write('response.in_progress', { response })
    )
  }

  #say(write: (message: OpenMessage) => string): string {
    if (this.#speaking !== null) return write(this.#speaking)
    const message = new OpenMessage(this.#frames, this.#newId('msg'), this.#items.length)
    const before = this.#begin() + this.#closeText('completed')
    this.#items.push(message)
    this.#speaking = message
    return before + message.added() + write(message)
  }

  #think(write: (reasoning: OpenReasoning) => string): string {
    if (this.#thinking !== null) return write(this.#thinking)
    const reasoning = new OpenReasoning(this.#frames, this.#newId('rs'), this.#items.length)
    const before = this.#begin() + this.#closeText('completed')
    this.#items.push(reasoning)
    this.#thinking = reasoning
    return before + reasoning.added() + write(reasoning)
  }

  /** Its text may not have come before, and may not be known at all. */
  #endThought(block: ReasoningBlock): string {
    const { sealing } = this.#stamp
    const sealed = sealing === undefined || !asksForSealed(this.#request) ? null : sealReasoning(block, sealing)
    const text = block.type === 'thinking' ? block.thinking : ''
    if (this.#thinking === null && sealed === null && text === '') return ''
    const frames = this.#think((reasoning) => {
      reasoning.sealed = sealed
      return reasoning.isSilent && text !== '' ? reasoning.text(text) : ''
    })
    return frames + this.#closeText('completed')
  }

  #startCall({ index, id, name }: StreamPart & { type: 'tool-call-start' }): string {
    if (this.#calls.has(index)) return ''
    const before = this.#begin() + this.#closeText('completed')
    const at = this.#items.length
    const call = new OpenCall(this.#frames, toolCall(this.#names, name, id, [this.#stamp.id, at]), at)
    this.#items.push(call)
    this.#calls.set(index, call)
    return before + call.added()
  }

  #closeText(status: ItemStatus): string {
    const item = this.#speaking ?? this.#thinking
    this.#speaking = null
    this.#thinking = null
    return item?.close(status) ?? ''
  }

  #closeCalls(status: ItemStatus): string {
    let frames = ''
    for (const call of this.#calls.values()) frames += call.close(status)
    return frames
  }

  /** Only what was open at the end is incomplete. */
  #statusOf(item: OpenItem): ItemStatus {
    return item === this.#items.at(-1) || item instanceof OpenCall ? 'incomplete' : 'completed'
  }

  #newId(prefix: string): string {
    return itemId(prefix, this.#stamp.id, this.#items.length)
  }
}
