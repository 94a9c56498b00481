import { failure } from '../domain/failure.ts'
import { isJsonObject, type JsonObject } from '../domain/request/call-request.ts'
import { contentBytes, type StreamPart, type StreamReader } from '../domain/request/stream.ts'
import { worded } from '../domain/wording/worded.ts'
import type { Reading } from './family.ts'

/** Another entry may write one. */
const NO_TEXT = failure('upstream_error', worded`The model answered without a text.`, 200, { retry: 'once' })
const FILTERED = {
  ...failure('content_filtered', worded`The provider's content filter cut the answer off.`, 200),
  next: 'any',
} as const

/** An answer of which only the text is of use: one without a text has failed. */
export function withText(reading: Reading): Reading {
  if (reading.kind !== 'answer') return reading
  const { body, finishReason } = reading.answer
  if (finishReason === 'content_filter') return { kind: 'failure', failure: FILTERED }
  return textIn(body).trim() === '' ? { kind: 'failure', failure: NO_TEXT } : reading
}

function textIn({ choices }: JsonObject): string {
  const first: unknown = Array.isArray(choices) ? choices[0] : undefined
  const content = isJsonObject(first) && isJsonObject(first['message']) ? first['message']['content'] : null
  if (!Array.isArray(content)) return typeof content === 'string' ? content : ''
  return content.map((part) => (isJsonObject(part) && typeof part['text'] === 'string' ? part['text'] : '')).join('')
}

/** The same for a stream. Nothing but text is passed on, so that until then another entry may be asked. */
export class TextAlone implements StreamReader {
  readonly #reader: StreamReader
  #blank = ''
  #hasText = false
  #droppedBytes = 0

  constructor(reader: StreamReader) {
    this.#reader = reader
  }

  read(event: Parameters<StreamReader['read']>[0]): StreamPart[] {
    return this.parts(this.#reader.read(event))
  }

  end(): StreamPart[] {
    return this.parts(this.#reader.end())
  }

  get usage() {
    return this.#reader.usage
  }

  get hiddenBytes() {
    return this.#reader.hiddenBytes + this.#droppedBytes
  }

  get isFinished() {
    return this.#reader.isFinished && this.#hasText
  }

  parts(parts: readonly StreamPart[]): StreamPart[] {
    return parts.flatMap((part) => this.#part(part))
  }

  #part(part: StreamPart): StreamPart[] {
    switch (part.type) {
      case 'failed':
        return [part]
      case 'message-end':
        if (part.finishReason === 'content_filter') return [{ type: 'failed', failure: FILTERED }]
        return [this.#hasText ? part : { type: 'failed', failure: NO_TEXT }]
      case 'text-delta':
        return this.#text(part.text)
      default:
        this.#droppedBytes += contentBytes(part)
        return []
    }
  }

  #text(delta: string): StreamPart[] {
    const text = this.#blank + delta
    this.#hasText ||= text.trim() !== ''
    this.#blank = this.#hasText ? '' : text
    return this.#hasText ? [{ type: 'text-delta', text }] : []
  }
}
