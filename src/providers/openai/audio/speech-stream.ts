import { CHARACTER } from '../../../domain/pricing/unit-prices.ts'
import { NO_USAGE, type TokenUsage, tokenCount } from '../../../domain/pricing/usage.ts'
import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import {
  characters,
  likelySpokenTokens,
  type SpeechRequest,
  speechTokens,
} from '../../../domain/request/media/speech.ts'
import type { ServerSentEvent, StreamPart, StreamReader, StreamUsage } from '../../../domain/request/stream.ts'
import { BYTES_EVENT } from '../../../upstream/event-framing.ts'
import { CUT, parsedEvent, UNREADABLE } from '../../stream-events.ts'
import { failureInStream } from '../chat/stream-failure.ts'

const FINISHED: StreamPart = { type: 'message-end', finishReason: 'stop', warning: null }
const NOTHING: JsonObject = {}

/**
 * Sound as bytes, or in events, of which bytes are made for a caller who wants those. The text was sent, so it is charged wherever
 * the sound ends; of a model billed by tokens, which only its last event counts, as many as it likely takes.
 */
export class SpeechStream implements StreamReader {
  readonly hiddenBytes = 0
  isFinished = false
  usage: StreamUsage
  readonly #wantsEvents: boolean
  #isBytes = false

  constructor(request: SpeechRequest) {
    this.#wantsEvents = request.stream_format === 'sse'
    const output = likelySpokenTokens(request)
    this.usage = {
      ...{
        tokens: { ...NO_USAGE, uses: { [CHARACTER]: characters(request) } },
        body: {},
        isFinal: true,
        source: 'measured',
      },
      orTokens: { ...NO_USAGE, input: speechTokens(request).likely ?? 0, output, audioOutput: output },
    }
  }

  read({ event, data }: ServerSentEvent): StreamPart[] {
    if (event === BYTES_EVENT) {
      this.#isBytes = true
      return [soundOf(data, data.length)]
    }
    const value = parsedEvent(data)
    if (value === null) return data === '[DONE]' ? [] : [{ type: 'failed', failure: UNREADABLE }]
    const failed = failureInStream(value, event)
    if (failed !== null) return [{ type: 'failed', failure: failed }]
    if (value['type'] === 'speech.audio.done') return this.#ended(value, data)
    const { audio } = value
    if (typeof audio !== 'string') return []
    const bytes = Buffer.from(audio, 'base64')
    return [soundOf(this.#wantsEvents ? data : bytes.toString('latin1'), bytes.length)]
  }

  end(): StreamPart[] {
    return this.isFinished || this.#isBytes ? [FINISHED] : [{ type: 'failed', failure: CUT }]
  }

  #ended(value: JsonObject, data: string): StreamPart[] {
    this.isFinished = true
    const { usage } = value
    if (isJsonObject(usage)) this.usage = { tokens: tokensOf(usage), body: {}, isFinal: true }
    if (!this.#wantsEvents) return [FINISHED]
    return [{ type: 'chunk', json: data, value, contentBytes: 0, isEnd: true }, FINISHED]
  }
}

function soundOf(json: string, contentBytes: number): StreamPart {
  return { type: 'chunk', json, value: NOTHING, contentBytes, isEnd: false }
}

/** Without details: a text was read, and sound was made. */
function tokensOf(usage: JsonObject): TokenUsage {
  const output = tokenCount(usage['output_tokens'])
  return { ...NO_USAGE, input: tokenCount(usage['input_tokens']), output, audioOutput: output }
}
