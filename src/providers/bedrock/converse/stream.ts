import type { Failure } from '../../../domain/failure.ts'
import type { ChatRequest } from '../../../domain/request/chat.ts'
import type { ServerSentEvent, StreamPart, StreamReader, StreamUsage } from '../../../domain/request/stream.ts'
import { MessageStream } from '../../anthropic/stream/stream.ts'
import { partsOf } from '../../chat-chunks.ts'
import type { StreamTranslator } from '../../family.ts'
import { parsedEvent, UNREADABLE } from '../../stream-events.ts'
import { EVENT_STREAM } from '../framing/event-stream.ts'
import { failureOfEvent, isEnded } from '../stream-failure.ts'
import { MessageEvents } from './events.ts'
import { isMalformed, tierOf } from './message.ts'
import { MALFORMED } from './response.ts'
import { tierPercent } from './tiers.ts'

export const stream: StreamTranslator<ChatRequest> = {
  framing: EVENT_STREAM,
  open: (request) => new ConverseStream(request),
  partsOf,
}

const NONE: StreamPart[] = []
const NO_USAGE = 'the stream ended before its usage came'

/** The answer ends with its usage, which follows the reason why it stopped. */
class ConverseStream implements StreamReader {
  readonly #message: MessageStream
  readonly #events = new MessageEvents()
  #hasContent = false
  #hasStopped = false
  #hasEnded = false
  #percent = 100

  constructor(request: ChatRequest) {
    this.#message = new MessageStream(request)
  }

  get isFinished(): boolean {
    return this.#message.isFinished
  }

  get hiddenBytes(): number {
    return this.#message.hiddenBytes
  }

  get usage(): StreamUsage | null {
    const counted = this.#message.usage
    return counted && { ...counted, tokens: { ...counted.tokens, pricePercent: this.#percent } }
  }

  read(event: ServerSentEvent): StreamPart[] {
    if (this.#hasEnded) return NONE
    const failed = failureOfEvent(event)
    if (failed !== null) return this.isFinished ? NONE : this.#fail(failed)
    const value = parsedEvent(event.data)
    if (value === null) return this.isFinished ? NONE : this.#fail(UNREADABLE)
    if (event.event === 'messageStop') {
      this.#hasStopped = true
      if (isMalformed(value['stopReason']) && !this.#hasContent) return this.#fail(MALFORMED)
    }
    if (event.event === 'metadata') this.#percent = tierPercent(tierOf(value))
    const events = this.#events.of(event.event, value)
    const [only] = events
    const parts =
      only !== undefined && events.length === 1
        ? this.#message.take(only)
        : events.flatMap((each) => this.#message.take(each))
    this.#hasContent ||= parts.length > 0
    this.#hasEnded = isEnded(parts)
    return parts
  }

  /** An answer without usage is still complete. */
  end(): StreamPart[] {
    if (this.#hasEnded) return NONE
    if (!this.#hasStopped) return this.#message.end()
    return this.#message.take({ type: 'message_stop' }).map((part) => {
      if (part.type !== 'message-end') return part
      return { ...part, warning: [part.warning, NO_USAGE].filter((each) => each !== null).join('; ') }
    })
  }

  #fail(failed: Failure): StreamPart[] {
    this.#hasEnded = true
    return [{ type: 'failed', failure: failed }]
  }
}
