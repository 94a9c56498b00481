import type { Failure } from '../../../domain/failure.ts'
import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import type { Chunk, ServerSentEvent, StreamPart, StreamReader, StreamUsage } from '../../../domain/request/stream.ts'
import { Repeats } from '../../repeats.ts'
import { CUT, parsedEvent, UNREADABLE } from '../../stream-events.ts'
import { failureFromWire } from '../failure.ts'
import { ending } from '../finish-reason.ts'
import { CountedUsage } from '../stream/counted-usage.ts'
import { generatedBytes } from './generated-bytes.ts'

const NONE: StreamPart[] = []
const OK = 200

/** A provider's events as they are: read only for the price, the log, and to know where the answer ends. */
export class NativeStream implements StreamReader {
  readonly hiddenBytes = 0
  readonly #counted = new CountedUsage()
  /** Indices of the blocks that have begun and not ended. */
  readonly #open = new Set<unknown>()
  readonly #repeats = new Repeats()
  #hasToolCalls = false
  #stopReason: string | null = null
  #hasEnded = false

  get isFinished(): boolean {
    return this.#stopReason !== null && this.#open.size === 0
  }

  get usage(): StreamUsage | null {
    return this.#counted.usage(this.#stopReason !== null)
  }

  read(event: ServerSentEvent): StreamPart[] {
    if (this.#hasEnded) return NONE
    const repeated = this.#repeats.read(event)
    if (repeated !== null) return [repeated]
    const { data } = event
    const value = parsedEvent(data)
    if (value === null) return this.isFinished ? NONE : this.#fail(UNREADABLE)
    switch (value['type']) {
      case 'content_block_delta':
        break
      case 'content_block_start':
        this.#open.add(value['index'])
        if (isJsonObject(value['content_block']) && value['content_block']['type'] === 'tool_use') {
          this.#hasToolCalls = true
        }
        break
      case 'content_block_stop':
        this.#open.delete(value['index'])
        break
      case 'message_start':
        // Its model is replaced, so it must have a message.
        if (!isJsonObject(value['message'])) return this.#fail(UNREADABLE)
        this.#counted.began(value['message']['usage'])
        break
      case 'message_delta':
        this.#readDelta(value)
        break
      case 'message_stop':
        return [chunkOf(value, data, true), ...this.#end(null)]
      case 'ping':
        return NONE
      default:
        if (value['type'] === 'error' || isJsonObject(value['error'])) return this.#readError(value)
    }
    const chunk = chunkOf(value, data, this.#stopReason !== null)
    if (chunk.contentBytes > 0 && !chunk.isEnd) this.#repeats.learn(chunk, event.event, generatedBytes)
    return [chunk]
  }

  /** Some servers omit the last event: an answer with a stop reason is complete anyway. */
  end(): StreamPart[] {
    if (this.#hasEnded) return NONE
    return this.isFinished ? this.#end('the stream ended without message_stop') : this.#fail(CUT)
  }

  #readDelta({ delta, usage }: JsonObject): void {
    this.#counted.updated(usage)
    if (isJsonObject(delta) && typeof delta['stop_reason'] === 'string') this.#stopReason = delta['stop_reason']
  }

  /** Errors come after a 200 too. */
  #readError(value: JsonObject): StreamPart[] {
    return this.isFinished ? NONE : this.#fail(failureFromWire(OK, value))
  }

  #end(warning: string | null): StreamPart[] {
    this.#hasEnded = true
    const end = ending(this.#stopReason, this.#hasToolCalls, false, null)
    const warnings = [end.warning, warning, this.#counted.warning].filter((each) => each !== null)
    return [{ type: 'message-end', finishReason: end.reason, warning: warnings.join('; ') || null }]
  }

  #fail(failed: Failure): StreamPart[] {
    this.#hasEnded = true
    return [{ type: 'failed', failure: failed }]
  }
}

export function chunkOf(value: JsonObject, json: string, isEnd: boolean): Chunk {
  return { type: 'chunk', json, value, contentBytes: generatedBytes(value), isEnd }
}
