import { errorBody } from '../../domain/errors.ts'
import { promptTokens, type TokenUsage } from '../../domain/pricing/usage.ts'
import type { Stamp } from '../../domain/request/answer.ts'
import { isJsonObject, type JsonObject } from '../../domain/request/call-request.ts'
import type { Chunk, StreamEnd, StreamPart, StreamWriter } from '../../domain/request/stream.ts'
import type { StreamFormat } from '../endpoint.ts'
import { StampedChunks } from './stamped-chunks.ts'

export const chatEvents: StreamFormat = {
  isRequested: ({ stream }) => stream === true,
  open: (request, stamp) => new ChatEvents(request, stamp),
  error: (error) => frame(JSON.stringify(errorBody(error))),
  // One line, without a blank one: some clients take an empty event for data.
  keepAlive: ': keep-alive\n',
}

const DONE = 'data: [DONE]\n\n'

function frame(json: string): string {
  return `data: ${json}\n\n`
}

/** One streamed completion. Its last chunks wait for `end`. */
export class ChatEvents implements StreamWriter {
  readonly #stamp: Stamp
  readonly #isUsageWanted: boolean
  /** The caller uses `functions`, which know one call and no ids. */
  readonly #isLegacy: boolean
  readonly #stamped: StampedChunks
  readonly #beforeDelta: string
  readonly #afterDelta: string
  #hasRole = false
  /** JSON without its frame. */
  #held: string[] = []
  /** The fields that all chunks have, as in the last one held. */
  #fields: JsonObject

  constructor(request: JsonObject, stamp: Stamp, object = 'chat.completion.chunk') {
    const { stream_options: options, functions } = request
    this.#stamp = stamp
    this.#isUsageWanted = isJsonObject(options) && options['include_usage'] === true
    this.#isLegacy = Array.isArray(functions) && functions.length > 0
    this.#stamped = new StampedChunks(stamp, this.#isUsageWanted, object)
    const { id, created, model } = stamp
    this.#fields = { id, object, created, model }
    this.#beforeDelta = `${JSON.stringify(this.#fields).slice(0, -1)},"choices":[{"index":0,"delta":`
    this.#afterDelta = this.#isUsageWanted ? ',"finish_reason":null}],"usage":null}' : ',"finish_reason":null}]}'
  }

  write(part: StreamPart): string {
    switch (part.type) {
      case 'chunk':
        return this.#writeChunk(part)
      case 'text-delta':
        return part.text === '' ? '' : this.#delta(`{"content":${JSON.stringify(part.text)}}`)
      case 'refusal-delta':
        return this.#delta(`{"refusal":${JSON.stringify(part.text)}}`)
      case 'reasoning-delta':
        return this.#delta(`{"reasoning_content":${JSON.stringify(part.text)}}`)
      case 'tool-call-start':
        return this.#startCall(part)
      case 'tool-input-delta':
        return this.#continueCall(part)
      case 'message-end':
        this.#hold(part.finishReason)
        return ''
      case 'reasoning-end':
      case 'failed':
        return ''
    }
  }

  end({ usage, tokens, gateway }: StreamEnd): string {
    const chunks = this.#held
    if (this.#isUsageWanted) {
      const counted = usage?.isFinal === true ? usage.body : estimated(tokens)
      chunks.push(JSON.stringify({ ...this.#fields, choices: [], usage: counted }))
    }
    const last = chunks.pop()
    if (last !== undefined) chunks.push(`${last.slice(0, -1)},"x_gateway":${JSON.stringify(gateway)}}`)
    return chunks.map(frame).join('') + DONE
  }

  #writeChunk(chunk: Chunk): string {
    const json = this.#stamped.write(chunk)
    if (!chunk.isEnd) return frame(json)
    this.#held.push(json)
    const { value } = chunk
    const { id, model } = this.#stamp
    for (const name of SHARED) if (value[name] !== undefined) this.#fields[name] = value[name]
    Object.assign(this.#fields, { id, model })
    return ''
  }

  /** The role goes out with the first content. */
  #delta(delta: string, content = '""'): string {
    return this.#role(content) + frame(this.#beforeDelta + delta + this.#afterDelta)
  }

  #role(content: string): string {
    if (this.#hasRole) return ''
    this.#hasRole = true
    return frame(`${this.#beforeDelta}{"role":"assistant","content":${content}}${this.#afterDelta}`)
  }

  #startCall({ index, id, name }: StreamPart & { type: 'tool-call-start' }): string {
    const called = { name, arguments: '' }
    if (!this.#isLegacy) {
      const calls = [{ index, id, type: 'function', function: called }]
      return this.#delta(JSON.stringify({ tool_calls: calls }), 'null')
    }
    return index > 0 ? '' : this.#delta(JSON.stringify({ function_call: called }), 'null')
  }

  #continueCall({ index, text }: StreamPart & { type: 'tool-input-delta' }): string {
    const written = JSON.stringify(text)
    if (this.#isLegacy) return index > 0 ? '' : this.#delta(`{"function_call":{"arguments":${written}}}`)
    return this.#delta(`{"tool_calls":[{"index":${index},"function":{"arguments":${written}}}]}`)
  }

  /** The finish chunk, unless it has come as one. */
  #hold(finishReason: string): void {
    if (this.#held.length > 0) return
    const usage = this.#isUsageWanted ? { usage: null } : {}
    const finish = (delta: object, reason: string | null) =>
      this.#held.push(
        JSON.stringify({ ...this.#fields, choices: [{ index: 0, delta, finish_reason: reason }], ...usage }),
      )
    if (!this.#hasRole) finish({ role: 'assistant', content: '' }, null)
    finish({}, finishReason)
  }
}

function estimated(tokens: TokenUsage): JsonObject {
  const prompt = promptTokens(tokens)
  return { prompt_tokens: prompt, completion_tokens: tokens.output, total_tokens: prompt + tokens.output }
}

const SHARED = ['created', 'service_tier', 'system_fingerprint']
