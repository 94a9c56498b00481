import type { Failure } from '../../../domain/failure.ts'
import type { Answer } from '../../../domain/request/answer.ts'
import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import { type ContentsRequest, fieldOf } from '../../../domain/request/contents.ts'
import type { Chunk, ServerSentEvent, StreamPart, StreamReader, StreamUsage } from '../../../domain/request/stream.ts'
import { CUT, parsedEvent, UNREADABLE } from '../../stream-events.ts'
import { blockedBy, NO_CANDIDATES, unanswered } from '../blocked.ts'
import { failureIn } from '../failure.ts'
import { type Ending, ending } from '../finish-reason.ts'
import { addQueries, completionUsage, searchUses, usageFromWire } from '../usage.ts'
import { responseOf, textIn, type WireResponse } from '../wire.ts'
import { isContent } from './response.ts'

const NONE: StreamPart[] = []

interface Candidate {
  hasContent: boolean
  hasCalls: boolean
  finishReason: string | null
}

/** A provider's events as they are: read only for the price, the log, and to know where the answer ends. */
export class NativeContentStream implements StreamReader {
  readonly hiddenBytes = 0
  readonly #tier: unknown
  readonly #candidates = new Map<number, Candidate>()
  readonly #queries = new Set<string>()
  #usage: JsonObject | null = null
  #isBlocked = false
  #hasEnded = false

  constructor(request: ContentsRequest) {
    this.#tier = fieldOf(request, 'serviceTier')
  }

  get isFinished(): boolean {
    const all = [...this.#candidates.values()]
    return this.#isBlocked || (all.length > 0 && all.every(({ finishReason }) => finishReason !== null))
  }

  get usage(): StreamUsage | null {
    if (this.#usage === null) return null
    const tokens = usageFromWire(this.#usage, this.#tier)
    tokens.uses = searchUses(this.#queries)
    return { tokens, body: completionUsage(tokens), isFinal: this.isFinished }
  }

  read({ data }: ServerSentEvent): StreamPart[] {
    if (this.#hasEnded) return NONE
    const event = parsedEvent(data)
    const response = responseOf(event)
    if (event === null || response === null) return this.isFinished ? NONE : this.#fail(UNREADABLE)
    const failed = event['error'] === undefined ? null : failureIn(event)
    if (failed !== null) return this.isFinished ? NONE : this.#fail(failed)
    if (response.usage !== null) this.#count(response.usage)
    const bytes = this.#note(response)
    if (this.#candidates.size === 0 && blockedBy(response) !== null) this.#isBlocked = true
    return [{ type: 'chunk', json: data, value: event, contentBytes: bytes, isEnd: this.isFinished }]
  }

  /** There is no terminal event: the body ends. */
  end(): StreamPart[] {
    if (this.#hasEnded) return NONE
    if (!this.isFinished) return this.#fail(this.#candidates.size === 0 && this.#usage !== null ? NO_CANDIDATES : CUT)
    this.#hasEnded = true
    if (this.#isBlocked) return [{ type: 'message-end', finishReason: 'content_filter', warning: null }]
    const ends = [...this.#candidates.values()].map(endOf)
    const [first] = ends
    if (first === undefined || ends.every(({ kind }) => kind === 'failed')) {
      return this.#fail(first?.kind === 'failed' ? unanswered(first.message) : NO_CANDIDATES)
    }
    const { reason, warning } = first.kind === 'ended' ? first : { reason: 'stop', warning: first.message }
    return [{ type: 'message-end', finishReason: reason, warning }]
  }

  /** Reports are totals of all so far. A zero in place of a number is a placeholder. */
  #count(report: JsonObject): void {
    this.#usage ??= {}
    for (const name in report) if (report[name]) this.#usage[name] = report[name]
  }

  /** The bytes of what was generated, thoughts included. */
  #note({ candidates }: WireResponse): number {
    let bytes = 0
    for (const { index, parts, finishReason, grounding } of candidates) {
      if (grounding !== null) addQueries(this.#queries, grounding)
      const candidate = this.#candidates.get(index) ?? { hasContent: false, hasCalls: false, finishReason: null }
      this.#candidates.set(index, candidate)
      if (finishReason !== null) candidate.finishReason = finishReason
      for (const part of parts) {
        bytes += bytesOf(part)
        if (part['functionCall'] !== undefined) candidate.hasCalls = true
        else if (isContent(part)) candidate.hasContent = true
      }
    }
    return bytes
  }

  #fail(failed: Failure): StreamPart[] {
    this.#hasEnded = true
    return [{ type: 'failed', failure: failed }]
  }
}

function endOf({ hasContent, hasCalls, finishReason }: Candidate): Ending {
  return ending(finishReason, { hasContent, hasCalls, isLegacy: false })
}

function bytesOf(part: JsonObject): number {
  const text = textIn(part, 'text')
  if (text !== null) return Buffer.byteLength(text)
  const { functionCall: called, executableCode: code } = part
  if (isJsonObject(called)) return Buffer.byteLength(`${called['name']}${JSON.stringify(called['args'] ?? {})}`)
  return isJsonObject(code) ? Buffer.byteLength(JSON.stringify(code)) : 0
}

/** A whole answer as the events of a stream, for a server that ignored the method. */
export function partsOf({ body, finishReason, warning }: Answer): StreamPart[] {
  const chunk: Chunk = { type: 'chunk', json: JSON.stringify(body), value: body, contentBytes: 1, isEnd: true }
  return [chunk, { type: 'message-end', finishReason: finishReason ?? 'stop', warning }]
}
