import type { Failure } from '../../../domain/failure.ts'
import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import type { ChatRequest } from '../../../domain/request/chat.ts'
import type { ServerSentEvent, StreamPart, StreamReader, StreamUsage } from '../../../domain/request/stream.ts'
import { partsOf } from '../../chat-chunks.ts'
import { usesFunctions } from '../../declared-functions.ts'
import type { StreamTranslator } from '../../family.ts'
import { CUT, parsedEvent, UNREADABLE } from '../../stream-events.ts'
import { failureFromWire } from '../failure.ts'
import { ending } from '../finish-reason.ts'
import { asksForJson } from '../request/json-mode.ts'
import { Blocks } from './blocks.ts'
import { CountedUsage } from './counted-usage.ts'

export const stream: StreamTranslator<ChatRequest> = { open: (request) => new MessageStream(request), partsOf }

const NONE: StreamPart[] = []
const OK = 200

/** Events that come in a fixed order: the message begins, block after block, why it ended, its end. */
export class MessageStream implements StreamReader {
  readonly #blocks: Blocks
  readonly #counted = new CountedUsage()
  readonly #isLegacy: boolean
  #stopReason: string | null = null
  #refusal: unknown = null
  #hasEnded = false

  constructor(request: ChatRequest) {
    this.#blocks = new Blocks(asksForJson(request))
    this.#isLegacy = usesFunctions(request)
  }

  get isFinished(): boolean {
    return this.#stopReason !== null && !this.#blocks.isOpen
  }

  get hiddenBytes(): number {
    return this.#blocks.hiddenBytes
  }

  get usage(): StreamUsage | null {
    return this.#counted.usage(this.#stopReason !== null)
  }

  read({ data }: ServerSentEvent): StreamPart[] {
    if (this.#hasEnded) return NONE
    const event = parsedEvent(data)
    if (event === null) return this.isFinished ? NONE : this.#fail(UNREADABLE)
    return this.take(event)
  }

  /** An event that was read before, or made from another format. */
  take(event: JsonObject): StreamPart[] {
    if (this.#hasEnded) return NONE
    switch (event['type']) {
      case 'content_block_delta':
        return this.#blocks.delta(event)
      case 'content_block_start': {
        const parts = this.#blocks.start(event)
        return parts === null ? this.#fail(UNREADABLE) : parts
      }
      case 'content_block_stop':
        return this.#blocks.stop(event)
      case 'message_start':
        if (isJsonObject(event['message'])) this.#counted.began(event['message']['usage'])
        return NONE
      case 'message_delta':
        this.#readDelta(event)
        return NONE
      case 'message_stop':
        return this.#end(null)
      default:
        return this.#readOther(event)
    }
  }

  /** Some servers omit the last event: an answer with a stop reason is complete anyway. */
  end(): StreamPart[] {
    if (this.#hasEnded) return NONE
    return this.isFinished ? this.#end('the stream ended without message_stop') : this.#fail(CUT)
  }

  #readDelta({ delta, usage }: JsonObject): void {
    this.#counted.updated(usage)
    if (!isJsonObject(delta)) return
    if (typeof delta['stop_reason'] === 'string') this.#stopReason = delta['stop_reason']
    if (isJsonObject(delta['stop_details'])) this.#refusal = delta['stop_details']['explanation']
  }

  /** Errors come after a 200 too; what is unknown is skipped, as the API asks. */
  #readOther(event: JsonObject): StreamPart[] {
    const isError = event['type'] === 'error' || isJsonObject(event['error'])
    if (!isError || this.isFinished) return NONE
    return this.#fail(failureFromWire(OK, event))
  }

  #end(warning: string | null): StreamPart[] {
    this.#hasEnded = true
    const parts = this.#blocks.end()
    const end = ending(this.#stopReason, this.#blocks.hasToolCalls, this.#isLegacy, this.#refusal)
    if (end.refusal !== null) parts.push({ type: 'refusal-delta', text: end.refusal })
    const warnings = [end.warning, warning, this.#counted.warning].filter((each) => each !== null)
    return [...parts, { type: 'message-end', finishReason: end.reason, warning: warnings.join('; ') || null }]
  }

  #fail(failed: Failure): StreamPart[] {
    this.#hasEnded = true
    return [{ type: 'failed', failure: failed }]
  }
}
