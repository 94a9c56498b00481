import { NO_USAGE, type TokenUsage } from '../../../domain/pricing/usage.ts'
import type { Answer } from '../../../domain/request/answer.ts'
import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import { type ImagesRequest, imageCount } from '../../../domain/request/media/images.ts'
import type { ServerSentEvent, StreamPart, StreamReader, StreamUsage } from '../../../domain/request/stream.ts'
import { type Framing, SERVER_SENT_EVENTS } from '../../../upstream/event-framing.ts'
import { ServerSentEvents } from '../../../upstream/server-sent-events.ts'
import { CUT, parsedEvent, UNREADABLE } from '../../stream-events.ts'
import { failureInStream } from '../chat/stream-failure.ts'
import { PARTIAL_TOKENS } from './output-tokens.ts'
import { countedImages, type ImagesCount } from './usage.ts'

/** A whole image is one event. */
const MOST_BYTES = 64 << 20
export const LARGE_EVENTS: Framing = {
  contentType: SERVER_SENT_EVENTS.contentType,
  open: () => new ServerSentEvents(MOST_BYTES),
  mostHeld: MOST_BYTES,
}

const FINISHED: StreamPart = { type: 'message-end', finishReason: 'stop', warning: null }
/** Of an estimate: the bytes of so many tokens. */
const PARTIAL_BYTES = 4 * PARTIAL_TOKENS

/** Images on the way pass as received; those that are complete wait for the row. Pixels are not read. */
export class ImageStream implements StreamReader {
  readonly hiddenBytes = 0
  isFinished = false
  usage: StreamUsage | null = null
  readonly #request: ImagesRequest
  readonly #model: string
  #partials = 0
  #made = 0
  #count: ImagesCount | null = null

  constructor(request: ImagesRequest, model: string) {
    this.#request = request
    this.#model = model
  }

  read({ event, data }: ServerSentEvent): StreamPart[] {
    if (data === '[DONE]') return this.end()
    const value = parsedEvent(withoutPixels(data))
    if (value === null) return [{ type: 'failed', failure: UNREADABLE }]
    const failed = failureInStream(value, event)
    if (failed !== null) return [{ type: 'failed', failure: failed }]
    const isEnd = String(value['type'] ?? event).endsWith('.completed')
    const chunk: StreamPart = { type: 'chunk', json: data, value, contentBytes: PARTIAL_BYTES, isEnd }
    if (isEnd) this.#complete(value)
    else this.#partial()
    return this.isFinished ? [chunk, FINISHED] : [chunk]
  }

  end(): StreamPart[] {
    if (this.#count === null) return [{ type: 'failed', failure: CUT }]
    this.isFinished = true
    this.usage = usageOf(this.#count, true, this.#shown)
    return [FINISHED]
  }

  /** Tokens of those that were asked for: all that is held for. */
  get #shown(): number {
    const most = imageCount(this.#request) * (this.#request.partial_images ?? 0)
    return Math.min(this.#partials, most) * PARTIAL_TOKENS
  }

  #partial(): void {
    this.#partials += 1
    if (this.#count !== null) return
    const shown = this.#shown
    this.usage = { tokens: { ...NO_USAGE, output: shown, imageOutput: shown }, body: {}, isFinal: false }
  }

  #complete(value: JsonObject): void {
    this.#made += 1
    const counted = countedImages({ body: value, made: 1, request: this.#request, model: this.#model })
    this.#count = this.#count === null ? counted : both(this.#count, counted)
    this.isFinished = this.#made >= imageCount(this.#request)
    this.usage = usageOf(this.#count, this.isFinished, this.#shown)
  }
}

function usageOf({ usage, orTokens }: ImagesCount, isFinal: boolean, shown: number): StreamUsage {
  const counted = { tokens: usage, body: {}, isFinal }
  if (orTokens === undefined) return counted
  const [output, imageOutput] = [orTokens.output + shown, orTokens.imageOutput + shown]
  return { ...counted, orTokens: { ...orTokens, output, imageOutput } }
}

/** Each image is counted by its own event. */
function both(one: ImagesCount, other: ImagesCount): ImagesCount {
  const { orTokens: some } = one
  const { orTokens: more } = other
  return {
    usage: sum(one.usage, other.usage),
    ...(some !== undefined && more !== undefined && { orTokens: sum(some, more) }),
  }
}

function sum(one: TokenUsage, other: TokenUsage): TokenUsage {
  const { input, imageInput, output, imageOutput, uses } = other
  const all: Record<string, number> = { ...one.uses }
  for (const name in uses) all[name] = (all[name] ?? 0) + (uses[name] ?? 0)
  return {
    ...one,
    input: one.input + input,
    imageInput: one.imageInput + imageInput,
    output: one.output + output,
    imageOutput: one.imageOutput + imageOutput,
    uses: Object.keys(all).length === 0 ? null : all,
  }
}

/** Megabytes of base64, which has no escapes. */
function withoutPixels(data: string): string {
  const found = /"b64_json"\s*:\s*"/.exec(data)
  if (found === null) return data
  const start = found.index + found[0].length
  const end = data.indexOf('"', start)
  return end === -1 ? data : data.slice(0, start) + data.slice(end)
}

/** Of a server that does not stream: the official client would otherwise read nothing, and say nothing. */
export function imageParts({ body }: Answer, request: ImagesRequest): StreamPart[] {
  const { data, usage, ...rest } = body
  const type = `${'image' in request ? 'image_edit' : 'image_generation'}.completed`
  const images = Array.isArray(data) ? data.filter(isJsonObject) : []
  const chunks = images.map((image, at): StreamPart => {
    const isLast = at === images.length - 1
    const value = { type, ...rest, ...image, ...(isLast && isJsonObject(usage) && { usage }) }
    return { type: 'chunk', json: JSON.stringify(value), value, contentBytes: PARTIAL_BYTES, isEnd: true }
  })
  return [...chunks, FINISHED]
}
