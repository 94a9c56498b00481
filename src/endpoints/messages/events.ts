import { NO_USAGE } from '../../domain/pricing/usage.ts'
import type { Stamp } from '../../domain/request/answer.ts'
import type { JsonObject } from '../../domain/request/call-request.ts'
import type { MessagesRequest } from '../../domain/request/messages.ts'
import type { Chunk, StreamEnd, StreamPart, StreamWriter } from '../../domain/request/stream.ts'
import type { StreamFormat } from '../endpoint.ts'
import { replaceValue } from '../replace-value.ts'
import { Blocks } from './blocks.ts'
import { errorFrame } from './errors.ts'
import { frameOf, frameOfChunk, PING } from './frames.ts'
import { stopReason } from './stop-reason.ts'
import { callersNames } from './tool-names.ts'
import { messageUsage } from './usage.ts'
import { showsThinking } from './write.ts'

export const messageEvents: StreamFormat<MessagesRequest> = {
  isRequested: ({ stream }) => stream === true,
  open: (request, stamp) => new MessageEvents(request, stamp),
  error: errorFrame,
  keepAlive: PING,
}

/** One streamed message: a provider's own events, or events made of parts. Its last events wait for `end`. */
class MessageEvents implements StreamWriter {
  readonly #stamp: Stamp
  readonly #showsThinking: boolean
  readonly #callersName: (name: string) => string
  readonly #blocks = new Blocks()
  #hasStarted = false
  #finishReason: string | null = null
  /** The provider's last events. */
  #held: Chunk[] = []
  #isNative = false

  constructor(request: MessagesRequest, stamp: Stamp) {
    this.#stamp = stamp
    this.#showsThinking = showsThinking(request)
    this.#callersName = callersNames(request)
  }

  write(part: StreamPart): string {
    switch (part.type) {
      case 'chunk':
        return this.#pass(part)
      case 'text-delta':
      case 'refusal-delta':
        return part.text === '' ? '' : this.#start() + this.#blocks.text(part.text)
      case 'reasoning-delta':
        return this.#showsThinking && part.text !== '' ? this.#start() + this.#blocks.thinking(part.text) : ''
      case 'reasoning-end':
        return this.#showsThinking ? this.#start() + this.#blocks.endOfThinking(part.block) : ''
      case 'tool-call-start':
        return this.#start() + this.#blocks.startCall(part.index, part.id, this.#callersName(part.name))
      case 'tool-input-delta':
        return this.#blocks.input(part.index, part.text)
      case 'message-end':
        this.#finishReason = part.finishReason
        return this.#isNative ? '' : this.#start() + this.#blocks.end()
      case 'failed':
        return ''
    }
  }

  end({ tokens, gateway }: StreamEnd): string {
    if (this.#isNative) return this.#heldFrames(gateway)
    const delta = {
      stop_reason: stopReason(this.#finishReason, this.#blocks.hasToolCalls),
      stop_sequence: null,
    }
    return frameOf({ type: 'message_delta', delta, usage: messageUsage(tokens) }) + lastFrame({}, gateway)
  }

  /** Some providers leave the very last event out. */
  #heldFrames(gateway: JsonObject): string {
    const isLast = ({ value }: Chunk) => value['type'] === 'message_stop'
    const others = this.#held.filter((chunk) => !isLast(chunk))
    return others.map(frameOfChunk).join('') + lastFrame(this.#held.find(isLast)?.value ?? {}, gateway)
  }

  #pass(chunk: Chunk): string {
    this.#isNative = true
    if (chunk.isEnd) {
      this.#held.push(chunk)
      return ''
    }
    return (chunk.like ?? chunk).value['type'] === 'message_start' ? this.#startOf(chunk) : frameOfChunk(chunk)
  }

  /** With the caller's name of the model. */
  #startOf({ json, value }: Chunk): string {
    const { model } = this.#stamp
    const message = value['message'] as JsonObject
    const named = { ...value, type: 'message_start', message: { ...message, model } }
    if (!('model' in message)) return frameOf(named)
    return frameOfChunk({ json: replaceValue(json, ['message', 'model'], JSON.stringify(model)), value: named })
  }

  /** The tokens of the prompt are known at the end, for as long as nothing has been counted. */
  #start(): string {
    if (this.#hasStarted) return ''
    this.#hasStarted = true
    const { id, model } = this.#stamp
    const usage = messageUsage(NO_USAGE)
    const message = {
      id,
      type: 'message',
      role: 'assistant',
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
    }
    return frameOf({ type: 'message_start', message: { ...message, usage } })
  }
}

/** Clients ignore the key that the gateway adds. */
function lastFrame(value: JsonObject, gateway: JsonObject): string {
  return frameOf({ ...value, type: 'message_stop', x_gateway: gateway })
}
