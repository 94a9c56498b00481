import type { Failure } from '../../../domain/failure.ts'
import { isCount } from '../../../domain/request/bounds.ts'
import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import type { ChatRequest } from '../../../domain/request/chat.ts'
import type { Chunk, ServerSentEvent, StreamPart, StreamReader, StreamUsage } from '../../../domain/request/stream.ts'
import { contentBytesOf, partsOf } from '../../chat-chunks.ts'
import type { StreamTranslator } from '../../family.ts'
import { mergeCounts } from '../../merge-counts.ts'
import { Repeats } from '../../repeats.ts'
import { CUT, parsedEvent, UNREADABLE } from '../../stream-events.ts'
import { CallIndexes } from './call-indexes.ts'
import { USAGE_FIELD } from './request.ts'
import { FINISH_REASONS, usageFromWire } from './response.ts'
import { failureInStream } from './stream-failure.ts'

export const stream: StreamTranslator<ChatRequest> = {
  open: (request) => new ChatStream(request),
  partsOf,
  usageField: USAGE_FIELD,
}

const NONE: StreamPart[] = []
const NO_ACCENT: Accented = {}

interface Choice {
  hasRole: boolean
  calls: CallIndexes | null
  finishReason: string | null
}

/** How the chunks of a server differ. */
export interface Accented {
  /** True: the choice changed beyond its text. */
  choice?(choice: JsonObject): boolean
  usage?(usage: JsonObject): JsonObject
  /** Its tiers have names of ours and prices of their own: nothing is cheaper than the list price. */
  hasOwnTiers?: boolean
}

/** Chunks pass as received, except what official clients stumble over. */
export class ChatStream implements StreamReader {
  readonly hiddenBytes = 0
  /** The answers that the caller asked for. */
  readonly #expected: number
  /** The caller reads chunks without choices: the last one, with the usage, is such a one. */
  readonly #takesNoChoices: boolean
  readonly #accent: Accented
  readonly #choices = new Map<unknown, Choice>()
  readonly #repeats = new Repeats()
  #finished = 0
  #hasEnded = false
  #usage: JsonObject | null = null
  #tier: unknown = null
  /** Nothing was said since the last count. */
  #isCounted = false

  constructor({ n, stream_options: options }: ChatRequest, accent: Accented = NO_ACCENT) {
    this.#expected = isCount(n) ? n : 1
    this.#takesNoChoices = isJsonObject(options) && options['include_usage'] === true
    this.#accent = accent
  }

  get isFinished(): boolean {
    return this.#finished >= this.#expected && this.#finished === this.#choices.size
  }

  get usage(): StreamUsage | null {
    if (this.#usage === null) return null
    const body = this.#accent.usage?.(this.#usage) ?? this.#usage
    const tokens = usageFromWire(body, this.#tier)
    if (this.#accent.hasOwnTiers === true) tokens.pricePercent = Math.max(100, tokens.pricePercent)
    return { tokens, body, isFinal: this.#isCounted && this.#isComplete() }
  }

  read(given: ServerSentEvent): StreamPart[] {
    if (this.#hasEnded) return NONE
    const repeated = this.#repeats.read(given)
    if (repeated !== null) return [repeated]
    const { event, data } = given
    if (isDone(data)) return this.#isComplete() ? this.#end() : this.#fail(CUT)
    const value = parsedEvent(data)
    // A sign of life that some servers send as data.
    if (value === null) return this.isFinished || data.startsWith(':') ? NONE : this.#fail(UNREADABLE)
    const failed = failureInStream(value, event)
    if (failed !== null) return this.isFinished ? NONE : this.#fail(failed)
    return this.#readChunk(value, data, event)
  }

  /** A server that sends no terminal event has finished when every choice that was asked for has. */
  end(): StreamPart[] {
    if (this.#hasEnded) return NONE
    return this.isFinished ? this.#end() : this.#fail(CUT)
  }

  /** Some servers give fewer choices than they were asked for. */
  #isComplete(): boolean {
    return this.#finished > 0 && this.#finished === this.#choices.size
  }

  #end(): StreamPart[] {
    this.#hasEnded = true
    const [first] = this.#choices.values()
    const { finishReason } = this.#choices.get(0) ?? first ?? { finishReason: null }
    return [{ type: 'message-end', finishReason: finishReason ?? 'stop', warning: null }]
  }

  #fail(failed: Failure): StreamPart[] {
    this.#hasEnded = true
    return [{ type: 'failed', failure: failed }]
  }

  #readChunk(value: JsonObject, json: string, event: string | null): StreamPart[] {
    const { choices } = value
    const wasFinished = this.isFinished
    let contentBytes = 0
    let isEnd = wasFinished
    let isChanged = false
    if (Array.isArray(choices)) {
      for (const choice of choices) {
        if (!isJsonObject(choice)) continue
        if (this.#accent.choice?.(choice) === true) isChanged = true
        const bytes = contentBytesOf(choice)
        contentBytes += bytes
        const known = this.#choiceAt(choice['index'])
        if (known.finishReason !== null) isEnd = true
        if (this.#normalise(choice, known)) isChanged = true
        if (known.finishReason !== null) isEnd = true
      }
    }
    const hasUsage = this.#count(value, contentBytes)
    if (!Array.isArray(choices)) return NONE
    // Counts are sent once, at the end; a chunk with nothing else in it is not.
    if (choices.length === 0 && (hasUsage || wasFinished || !this.#takesNoChoices)) return NONE
    // A filter's late verdict: clients read `delta` of every choice.
    if (choices.length > 0 && !choices.some((choice) => isJsonObject(choice) && isJsonObject(choice['delta'])))
      return NONE
    const chunk: Chunk = { type: 'chunk', json: isChanged ? JSON.stringify(value) : json, value, contentBytes, isEnd }
    if (contentBytes > 0 && !isEnd && !isChanged && !hasUsage) this.#repeats.learn(chunk, event, contentIn)
    return [chunk]
  }

  #choiceAt(index: unknown): Choice {
    const known = this.#choices.get(index)
    if (known !== undefined) return known
    const choice: Choice = { hasRole: false, calls: null, finishReason: null }
    this.#choices.set(index, choice)
    return choice
  }

  /**
   * Official clients need a role in the first delta, a unique index for each tool call, and `finish_reason` in every
   * choice. True: something has changed.
   */
  #normalise(choice: JsonObject, known: Choice): boolean {
    const { delta } = choice
    let isChanged = false
    if (isJsonObject(delta) && Array.isArray(delta['tool_calls'])) {
      known.calls ??= new CallIndexes()
      isChanged = known.calls.correct(delta['tool_calls'])
    }
    if (!known.hasRole && 'delta' in choice) {
      known.hasRole = true
      if (!isJsonObject(delta) || typeof delta['role'] !== 'string') {
        choice['delta'] = { role: 'assistant', ...(isJsonObject(delta) ? delta : {}) }
        isChanged = true
      }
    }
    const reason = choice['finish_reason']
    if (typeof reason === 'string' && reason !== '' && !isJsonObject(choice['delta'])) {
      choice['delta'] = {}
      isChanged = true
    }
    if (typeof reason === 'string' && reason !== '') {
      if (known.finishReason === null) this.#finished += 1
      const ours = FINISH_REASONS.get(reason)
      known.finishReason ??= ours ?? reason
      if (ours === undefined) return isChanged
      choice['finish_reason'] = ours
      return true
    }
    if (reason === null) return isChanged
    choice['finish_reason'] = null
    return true
  }

  #count(value: JsonObject, contentBytes: number): boolean {
    if (contentBytes > 0) this.#isCounted = false
    if (typeof value['service_tier'] === 'string') this.#tier = value['service_tier']
    const { usage, x_groq: extension } = value
    const report = isJsonObject(usage) ? usage : isJsonObject(extension) ? extension['usage'] : null
    if (!isJsonObject(report)) return false
    this.#usage = mergeCounts(this.#usage ?? {}, report)
    this.#isCounted = true
    return true
  }
}

function contentIn({ choices }: JsonObject): number {
  let bytes = 0
  if (Array.isArray(choices)) for (const choice of choices) bytes += isJsonObject(choice) ? contentBytesOf(choice) : 0
  return bytes
}

export function isDone(data: string): boolean {
  return data.length < 32 && data.trim() === '[DONE]'
}
