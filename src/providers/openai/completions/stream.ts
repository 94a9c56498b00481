import type { Failure } from '../../../domain/failure.ts'
import type { Answer } from '../../../domain/request/answer.ts'
import { isCount } from '../../../domain/request/bounds.ts'
import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import { type CompletionsRequest, promptCount } from '../../../domain/request/completions.ts'
import type { ServerSentEvent, StreamPart, StreamReader, StreamUsage } from '../../../domain/request/stream.ts'
import { mergeCounts } from '../../merge-counts.ts'
import { CUT, parsedEvent, UNREADABLE } from '../../stream-events.ts'
import { FINISH_REASONS, usageFromWire } from '../chat/response.ts'
import { isDone } from '../chat/stream.ts'
import { failureInStream } from '../chat/stream-failure.ts'
import type { Completing } from './completing.ts'

const NONE: StreamPart[] = []

/** Chunks of texts pass as received; those of a chat are made into them. */
export class TextStream implements StreamReader {
  readonly hiddenBytes = 0
  readonly #expected: number
  readonly #isChatShaped: boolean
  readonly #inOurs: (usage: JsonObject) => JsonObject
  /** By the index of a choice; null: it has not finished. */
  readonly #reasons = new Map<unknown, string | null>()
  #hasEnded = false
  #usage: JsonObject | null = null
  /** Nothing was said since the last count. */
  #isCounted = false

  constructor(request: CompletionsRequest, { isChatShaped }: Completing, inOurs = (usage: JsonObject) => usage) {
    this.#expected = promptCount(request) * (isCount(request.n) ? request.n : 1)
    this.#isChatShaped = isChatShaped === true
    this.#inOurs = inOurs
  }

  get isFinished(): boolean {
    return this.#reasons.size >= this.#expected && this.#isComplete()
  }

  get usage(): StreamUsage | null {
    if (this.#usage === null) return null
    const body = this.#inOurs(this.#usage)
    return { tokens: usageFromWire(body, null), body, isFinal: this.#isCounted && this.#isComplete() }
  }

  read({ event, data }: ServerSentEvent): StreamPart[] {
    if (this.#hasEnded) return NONE
    if (isDone(data)) return this.#isComplete() ? this.#end() : this.#fail(CUT)
    const value = parsedEvent(data)
    if (value === null) return this.isFinished || data.startsWith(':') ? NONE : this.#fail(UNREADABLE)
    const failed = failureInStream(value, event)
    if (failed !== null) return this.isFinished ? NONE : this.#fail(failed)
    return this.#readChunk(value, data)
  }

  /** A server that sends no terminal event has finished when every choice that was asked for has. */
  end(): StreamPart[] {
    if (this.#hasEnded) return NONE
    return this.isFinished ? this.#end() : this.#fail(CUT)
  }

  #isComplete(): boolean {
    if (this.#reasons.size === 0) return false
    for (const reason of this.#reasons.values()) if (reason === null) return false
    return true
  }

  #end(): StreamPart[] {
    this.#hasEnded = true
    const [first] = this.#reasons.values()
    return [{ type: 'message-end', finishReason: this.#reasons.get(0) ?? first ?? 'stop', warning: null }]
  }

  #fail(failed: Failure): StreamPart[] {
    this.#hasEnded = true
    return [{ type: 'failed', failure: failed }]
  }

  #readChunk(value: JsonObject, json: string): StreamPart[] {
    const { choices: given, usage } = value
    const choices = Array.isArray(given) ? given.filter(isJsonObject) : []
    let contentBytes = 0
    let isEnd = false
    let isChanged = this.#isChatShaped
    const ours = choices.map((choice) => {
      const isWhole = typeof choice['text'] === 'string' && !FINISH_REASONS.has(String(choice['finish_reason']))
      const text = isWhole ? choice : textChoice(choice)
      if (text !== choice) isChanged = true
      contentBytes += Buffer.byteLength(String(text['text']))
      if (this.#finish(text)) isEnd = true
      return text
    })
    if (contentBytes > 0) this.#isCounted = false
    if (isJsonObject(usage)) {
      this.#usage = mergeCounts(this.#usage ?? {}, usage)
      this.#isCounted = true
    }
    // Counts are sent once, at the end.
    if (ours.length === 0) return NONE
    const chunk = isChanged ? { ...value, object: 'text_completion', choices: ours } : value
    return [{ type: 'chunk', json: isChanged ? JSON.stringify(chunk) : json, value: chunk, contentBytes, isEnd }]
  }

  /** True: the choice has finished. */
  #finish({ index, finish_reason: reason }: JsonObject): boolean {
    const known = this.#reasons.get(index) ?? null
    const next = known ?? (typeof reason === 'string' && reason !== '' ? reason : null)
    this.#reasons.set(index, next)
    return next !== null
  }
}

/** A choice of a chat, whole or a part of it, or one that lacks fields, as one of a completion. */
export function textChoice(choice: unknown): JsonObject {
  const {
    message,
    delta,
    index = 0,
    text,
    logprobs = null,
    finish_reason: reason = null,
  } = isJsonObject(choice) ? choice : {}
  const said = message ?? delta
  const content = isJsonObject(said) ? said['content'] : text
  const written = typeof content === 'string' ? content : ''
  const ended = typeof reason === 'string' && reason !== '' ? (FINISH_REASONS.get(reason) ?? reason) : null
  return { index, text: written, logprobs, finish_reason: ended }
}

/** A whole answer to a request for a stream. */
export function textParts({ body, finishReason, warning }: Answer): StreamPart[] {
  const { usage: _counted, ...value } = body
  const choices = Array.isArray(body['choices']) ? body['choices'] : []
  const contentBytes = choices.reduce(
    (sum: number, { text }: JsonObject) => sum + Buffer.byteLength(String(text ?? '')),
    0,
  )
  return [
    { type: 'chunk', json: JSON.stringify(value), value, contentBytes, isEnd: true },
    { type: 'message-end', finishReason: finishReason ?? 'stop', warning },
  ]
}
