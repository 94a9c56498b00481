import { isJsonObject } from '../../../domain/request/call-request.ts'
import type { ServerSentEvent, StreamPart, StreamReader, StreamUsage } from '../../../domain/request/stream.ts'
import { failureOfEvent, isEnded } from '../stream-failure.ts'

/** Reads events whose payload is the vendor's own event, in base64. */
export class Unwrapped implements StreamReader {
  readonly #inner: StreamReader
  #hasEnded = false

  constructor(inner: StreamReader) {
    this.#inner = inner
  }

  get isFinished(): boolean {
    return this.#inner.isFinished
  }

  get hiddenBytes(): number {
    return this.#inner.hiddenBytes
  }

  get usage(): StreamUsage | null {
    return this.#inner.usage
  }

  read(event: ServerSentEvent): StreamPart[] {
    if (this.#hasEnded) return []
    const parts = this.#partsOf(event)
    this.#hasEnded = isEnded(parts)
    return parts
  }

  end(): StreamPart[] {
    return this.#hasEnded ? [] : this.#inner.end()
  }

  #partsOf(event: ServerSentEvent): StreamPart[] {
    const failed = failureOfEvent(event)
    if (failed !== null) return this.isFinished ? [] : [{ type: 'failed', failure: failed }]
    return event.event === 'chunk' ? this.#inner.read({ event: null, data: payload(event.data) }) : []
  }
}

const USUAL_START = '{"bytes":"'

/** Empty, which no reader takes for an event, where it cannot be read. */
function payload(data: string): string {
  // Usually the text can be cut out, which is much cheaper than reading it as JSON.
  if (data.startsWith(USUAL_START)) {
    const base64 = data.slice(USUAL_START.length, data.indexOf('"', USUAL_START.length))
    if (!base64.includes('\\')) return Buffer.from(base64, 'base64').toString('utf8')
  }
  try {
    const value: unknown = JSON.parse(data)
    const bytes = isJsonObject(value) ? value['bytes'] : null
    return typeof bytes === 'string' ? Buffer.from(bytes, 'base64').toString('utf8') : ''
  } catch {
    return ''
  }
}
