import type { Failure } from '../../domain/failure.ts'
import { isCount } from '../../domain/request/bounds.ts'
import type { JsonObject } from '../../domain/request/call-request.ts'
import type { ChatRequest } from '../../domain/request/chat.ts'
import type { ServerSentEvent, StreamPart, StreamReader, StreamUsage } from '../../domain/request/stream.ts'
import { usesFunctions } from '../declared-functions.ts'
import { CUT, parsedEvent, UNREADABLE } from '../stream-events.ts'
import { blockedBy, NO_CANDIDATES, unanswered } from './blocked.ts'
import { type Call, callOf } from './calls.ts'
import type { Door } from './door.ts'
import { failureIn } from './failure.ts'
import { type Ending, ending } from './finish-reason.ts'
import { signed } from './signatures.ts'
import { addQueries, completionUsage, searchUses, usageFromWire } from './usage.ts'
import { responseOf, textIn, type WireCandidate, type WireResponse } from './wire.ts'

const NONE: StreamPart[] = []

interface Choice {
  hasContent: boolean
  calls: number
  finishReason: string | null
}

/** Events are whole responses, each with what is new in it; the last one has the reason of the end. */
export class ContentStream implements StreamReader {
  hiddenBytes = 0
  readonly #door: Door
  readonly #asked: string | undefined
  /** The answers that the caller asked for. */
  readonly #expected: number
  readonly #isLegacy: boolean
  readonly #tier: unknown
  readonly #choices = new Map<number, Choice>()
  #usage: JsonObject | null = null
  #hasEnded = false
  /** What it searched for. */
  readonly #queries = new Set<string>()

  constructor(request: ChatRequest, door: Door, asked?: string) {
    this.#door = door
    this.#asked = asked
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
    tokens.uses = searchUses(this.#queries)
    return { tokens, body: completionUsage(tokens), isFinal: this.#isComplete() }
  }

  read({ data }: ServerSentEvent): StreamPart[] {
    if (this.#hasEnded) return NONE
    const event = parsedEvent(data)
    const response = responseOf(event, this.#asked)
    if (event === null || response === null) return this.isFinished ? NONE : this.#fail(UNREADABLE)
    const failed = event['error'] === undefined ? null : failureIn(event)
    if (failed !== null) return this.isFinished ? NONE : this.#fail(failed)
    if (response.usage !== null) this.#count(response.usage)
    const { candidates } = response
    const [first] = candidates
    if (first !== undefined && candidates.length === 1) return this.#partsOf(first, response)
    if (first !== undefined) return candidates.flatMap((candidate) => this.#partsOf(candidate, response))
    const blocked = this.#choices.size === 0 ? blockedBy(response) : null
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

  /** Reports are totals of all so far. A zero in place of a number is a placeholder: an early one may be all zeros. */
  #count(report: JsonObject): void {
    this.#usage ??= {}
    for (const name in report) if (report[name]) this.#usage[name] = report[name]
  }

  #partsOf({ index, parts: wireParts, finishReason, grounding }: WireCandidate, response: WireResponse): StreamPart[] {
    if (grounding !== null) addQueries(this.#queries, grounding)
    const choice = this.#choices.get(index) ?? { hasContent: false, calls: 0, finishReason: null }
    this.#choices.set(index, choice)
    if (finishReason !== null) choice.finishReason = finishReason
    const parts: StreamPart[] = []
    for (const part of wireParts) {
      const text = textIn(part, 'text')
      const signature = textIn(part, 'thoughtSignature')
      const call =
        part['functionCall'] === undefined ? null : callOf(part, `${index}.${choice.calls}`, response, this.#door)
      if (call !== null) parts.push(...this.#callParts(index, choice, call))
      else if (text !== null && part['thought'] === true) this.hiddenBytes += Buffer.byteLength(text)
      else if (text !== null) {
        if (this.#expected === 1) parts.push({ type: 'text-delta', text })
        else parts.push(this.#chunk(index, choice, { content: text }, Buffer.byteLength(text), ''))
        choice.hasContent = true
      }
      if (call !== null || signature === null) continue
      const extra = signed(signature, this.#door, response.model)
      parts.push(this.#chunk(index, choice, { extra_content: extra }, 0, ''))
    }
    return parts
  }

  /** Calls come whole. The older format knows one. */
  #callParts(index: number, choice: Choice, call: Call): StreamPart[] {
    const { function: called } = call
    const at = choice.calls
    const delta = this.#isLegacy ? { function_call: called } : { tool_calls: [{ index: at, ...call }] }
    const bytes = Buffer.byteLength(called.name) + Buffer.byteLength(called.arguments)
    const parts = this.#isLegacy && at > 0 ? NONE : [this.#chunk(index, choice, delta, bytes, null)]
    choice.calls += 1
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
