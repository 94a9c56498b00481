import { type Failure, failure } from '../../domain/failure.ts'
import { isCount } from '../../domain/request/bounds.ts'
import { isJsonObject, type JsonObject } from '../../domain/request/call-request.ts'
import type { ChatRequest } from '../../domain/request/chat.ts'
import type { ServerSentEvent, StreamPart, StreamReader, StreamUsage } from '../../domain/request/stream.ts'
import { usesFunctions } from '../declared-functions.ts'
import { mergeCounts } from '../merge-counts.ts'
import { blockedBy, NO_CANDIDATES, unanswered } from './blocked.ts'
import { callOf } from './calls.ts'
import type { Door } from './door.ts'
import { failureIn } from './failure.ts'
import { type Ending, ending } from './finish-reason.ts'
import { signed } from './signatures.ts'
import { completionUsage, usageFromWire } from './usage.ts'
import { type WireCandidate, WireResponse } from './wire.ts'

const NONE: StreamPart[] = []
const OK = 200

interface Choice {
  hasContent: boolean
  calls: number
  finishReason: string | null
}

/** Events are whole responses, each with what is new in it; the last one has the reason of the end. */
export class ContentStream implements StreamReader {
  hiddenBytes = 0
  readonly #door: Door
  /** The answers that the caller asked for. */
  readonly #expected: number
  readonly #isLegacy: boolean
  readonly #tier: unknown
  readonly #choices = new Map<number, Choice>()
  #usage: JsonObject | null = null
  #hasEnded = false

  constructor(request: ChatRequest, door: Door) {
    this.#door = door
    this.#expected = isCount(request.n) ? request.n : 1
    this.#isLegacy = usesFunctions(request)
    this.#tier = request['service_tier']
  }

  get isFinished(): boolean {
    return this.#isComplete() && this.#choices.size >= this.#expected
  }

  get usage(): StreamUsage | null {
    if (this.#usage === null) return null
    const tokens = usageFromWire(this.#usage, this.#tier)
    return { tokens, body: completionUsage(tokens), isFinal: this.#isComplete() }
  }

  read({ data }: ServerSentEvent): StreamPart[] {
    if (this.#hasEnded) return NONE
    const event = parsed(data)
    const response = event === null ? null : WireResponse.safeParse(event)
    if (event === null || response?.success !== true) return this.isFinished ? NONE : this.#fail(UNREADABLE)
    const failed = event['error'] === undefined ? null : failureIn(event)
    if (failed !== null) return this.isFinished ? NONE : this.#fail(failed)
    const { candidates, usageMetadata } = response.data
    // Totals of all so far; an early report may be all zero.
    if (isJsonObject(usageMetadata)) this.#usage = mergeCounts(this.#usage ?? {}, usageMetadata)
    if (candidates && candidates.length > 0) {
      return candidates.flatMap((candidate, at) => this.#partsOf(candidate, at, response.data))
    }
    const blocked = this.#choices.size === 0 ? blockedBy(response.data) : null
    return blocked === null ? NONE : this.#fail(blocked)
  }

  /** There is no terminal event: the body ends. */
  end(): StreamPart[] {
    if (this.#hasEnded) return NONE
    if (!this.#isComplete()) return this.#fail(this.#choices.size === 0 && this.#usage !== null ? NO_CANDIDATES : CUT)
    this.#hasEnded = true
    const endings = [...this.#choices].map(([index, choice]) => ({ index, end: this.#endingOf(choice) }))
    const first = endings.find(({ index }) => index === 0) ?? endings[0]
    if (first === undefined || first.end.kind === 'failed') {
      return this.#fail(unanswered(first?.end.kind === 'failed' ? first.end.message : 'The model gave no answer.'))
    }
    const { reason, warning } = first.end
    const chunks = this.#expected === 1 ? [] : endings.map(({ index, end }) => endChunk(index, end))
    return [...chunks, { type: 'message-end', finishReason: reason, warning }]
  }

  /** Some give fewer answers than they were asked for. */
  #isComplete(): boolean {
    const choices = [...this.#choices.values()]
    return choices.length > 0 && choices.every(({ finishReason }) => finishReason !== null)
  }

  #endingOf({ finishReason, hasContent, calls }: Choice): Ending {
    return ending(finishReason, { hasContent, hasCalls: calls > 0, isLegacy: this.#isLegacy })
  }

  #partsOf(candidate: WireCandidate, at: number, response: WireResponse): StreamPart[] {
    const index = candidate.index ?? at
    const choice = this.#choices.get(index) ?? { hasContent: false, calls: 0, finishReason: null }
    this.#choices.set(index, choice)
    if (candidate.finishReason) choice.finishReason = candidate.finishReason
    const parts: StreamPart[] = []
    for (const part of candidate.content?.parts ?? []) {
      const { text, thought, thoughtSignature } = part
      const call = callOf(part, `${index}.${choice.calls}`, response, this.#door)
      if (call !== null) {
        const { id, type, function: called, extra_content: extra } = call
        const bytes = Buffer.byteLength(called.name) + Buffer.byteLength(called.arguments)
        const delta = this.#isLegacy
          ? { function_call: called }
          : {
              tool_calls: [{ index: choice.calls, id, type, function: called, ...(extra && { extra_content: extra }) }],
            }
        if (!this.#isLegacy || choice.calls === 0) parts.push(this.#chunk(index, choice, delta, bytes, null))
        choice.calls += 1
      } else if (text && thought === true) this.hiddenBytes += Buffer.byteLength(text)
      else if (text) {
        if (this.#expected === 1) parts.push({ type: 'text-delta', text })
        else parts.push(this.#chunk(index, choice, { content: text }, Buffer.byteLength(text), ''))
        choice.hasContent = true
      }
      if (call === null && thoughtSignature) {
        const extra = signed(thoughtSignature, this.#door, response.modelVersion)
        parts.push(this.#chunk(index, choice, { extra_content: extra }, 0, ''))
      }
    }
    return parts
  }

  /** Official clients need a role in the first delta of a choice. */
  #chunk(
    index: number,
    { hasContent, calls }: Choice,
    delta: JsonObject,
    bytes: number,
    content: '' | null,
  ): StreamPart {
    const isFirst = !hasContent && calls === 0
    return chunk({ index, delta: isFirst ? { role: 'assistant', content, ...delta } : delta }, bytes, null)
  }

  #fail(failed: Failure): StreamPart[] {
    this.#hasEnded = true
    return [{ type: 'failed', failure: failed }]
  }
}

function endChunk(index: number, end: Ending): StreamPart {
  return chunk({ index, delta: {} }, 0, end.kind === 'ended' ? end.reason : 'stop')
}

function chunk(choice: JsonObject, contentBytes: number, reason: string | null): StreamPart {
  const value = { object: 'chat.completion.chunk', choices: [{ ...choice, finish_reason: reason }] }
  return { type: 'chunk', json: JSON.stringify(value), value, contentBytes, isEnd: reason !== null }
}

function parsed(data: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(data)
    return isJsonObject(value) ? value : null
  } catch {
    return null
  }
}

const UNREADABLE = failure('upstream_error', 'The provider sent an event that cannot be read.', OK, { retry: 'once' })
/** What was generated is billed: it is not asked for again here. */
const CUT = failure('upstream_error', 'The provider ended its stream before the answer was complete.', OK, {
  retry: 'no',
})
