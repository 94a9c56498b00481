import { type Failure, failure } from '../../../domain/failure.ts'
import { NO_USAGE } from '../../../domain/pricing/usage.ts'
import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import type { ResponsesRequest } from '../../../domain/request/responses.ts'
import type { Chunk, ServerSentEvent, StreamPart, StreamReader, StreamUsage } from '../../../domain/request/stream.ts'
import { worded } from '../../../domain/wording/worded.ts'
import type { StreamTranslator } from '../../family.ts'
import { Repeats } from '../../repeats.ts'
import { CUT, parsedEvent, UNREADABLE } from '../../stream-events.ts'
import { failureFromErrorBody } from '../failure.ts'
import { endOf, failureOf, usageOf } from './response.ts'
import { spokenBytes } from './spoken-bytes.ts'
import { usesIn } from './uses.ts'
import { partsOf } from './whole-events.ts'

export const stream: StreamTranslator<ResponsesRequest> = { open: () => new ResponseStream(), partsOf }

const NONE: StreamPart[] = []
const ENDS: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete'])

/** Events pass as received. */
class ResponseStream implements StreamReader {
  hiddenBytes = 0
  isFinished = false
  usage: StreamUsage | null = null
  #hasEnded = false
  /** Items with content already sent in deltas. */
  readonly #said = new Set<unknown>()
  /** Of tools that the provider ran. */
  readonly #items: unknown[] = []
  readonly #repeats = new Repeats()

  read(given: ServerSentEvent): StreamPart[] {
    if (this.#hasEnded) return NONE
    const repeated = this.#repeats.read(given)
    if (repeated !== null) return [repeated]
    const { event, data } = given
    const value = parsedEvent(data)
    // Some servers end as chat does.
    if (value === null) return data.trim() === '[DONE]' ? this.end() : this.#fail(UNREADABLE)
    const type = value['type'] ?? event
    const failed = failureIn(type, value)
    if (failed !== null) return this.#fail(failed)
    return ENDS.has(type) ? this.#finish(value, data) : [this.#chunk(type, value, given)]
  }

  end(): StreamPart[] {
    return this.#hasEnded ? NONE : this.#fail(CUT)
  }

  #chunk(type: unknown, value: JsonObject, { event, data: json }: ServerSentEvent): StreamPart {
    if (type === 'response.output_item.done') this.#note(value['item'])
    const { visible, hidden } = spokenBytes(type, value, this.#said)
    this.hiddenBytes += hidden
    const chunk: Chunk = { type: 'chunk', json, value, contentBytes: visible, isEnd: false }
    const count = (other: JsonObject) => spokenBytes(type, other, this.#said).visible
    if (visible > 0 && hidden === 0) this.#repeats.learn(chunk, event, count)
    return chunk
  }

  /** Tools that ran are paid for, even if the stream is cut before its usage. */
  #note(item: unknown): void {
    if (usesIn([item]) === null) return
    this.#items.push(item)
    this.usage = { tokens: { ...NO_USAGE, uses: usesIn(this.#items) }, body: {}, isFinal: false }
  }

  #finish(value: JsonObject, json: string): StreamPart[] {
    this.#hasEnded = true
    this.isFinished = true
    const response = isJsonObject(value['response']) ? value['response'] : {}
    const tokens = usageOf(response)
    if (tokens !== null && tokens.uses === null) tokens.uses = usesIn(this.#items)
    if (tokens !== null) this.usage = { tokens, body: response['usage'] as JsonObject, isFinal: true }
    const { reason, warning } = endOf(response)
    return [
      { type: 'chunk', json, value, contentBytes: 0, isEnd: true },
      { type: 'message-end', finishReason: reason, warning },
    ]
  }

  #fail(failed: Failure): StreamPart[] {
    this.#hasEnded = true
    return [{ type: 'failed', failure: failed }]
  }
}

/** An error counts as its own status, as in a whole answer; null when the event is none. */
function failureIn(type: unknown, value: JsonObject): Failure | null {
  if (type === 'response.failed') {
    const { response } = value
    return (isJsonObject(response) ? failureOf({ status: 'failed', ...response }) : null) ?? UNNAMED
  }
  const { error } = value
  if (type !== 'error' && (error ?? null) === null) return null
  return failureFromErrorBody({ error: isJsonObject(error) ? error : value }) ?? UNNAMED
}

const UNNAMED = failure('upstream_error', worded`The provider ended its answer with an error.`, 200)
