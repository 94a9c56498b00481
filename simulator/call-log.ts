import type { IncomingHttpHeaders } from 'node:http'
import { isObject, type JsonObject, objectsIn } from './json.ts'
import type { StreamState } from './stream/desk.ts'

export interface RecordedCall {
  id: number
  /** Its name. */
  family: string
  method: string
  /** Without the query. */
  path: string
  query: string
  headers: Record<string, string>
  /** The parsed JSON, or null. Like `rawBody` it is kept for the newest calls only. */
  body: unknown
  rawBody: string
  model: string | null
  /** `abc123` when the last user text (or text to embed) contains `#abc123`; lets a test match its calls one to one. */
  marker: string | null
  receivedAt: number
  finishedAt: number | null
  /** `aborted`: the client hung up first. `answered` with a null status: the simulator broke the connection on purpose. */
  outcome: 'answered' | 'aborted' | 'pending'
  status: number | null
  /** Null for an answer that was not streamed, or not yet. */
  stream: StreamState | null
  /** Of a sound, so far. */
  soundBytes?: number
}

export interface CallLog {
  calls: RecordedCall[]
  open(family: string, method: string, url: URL, headers: IncomingHttpHeaders): RecordedCall
  /** Fills in what the body says. */
  describe(call: RecordedCall, rawBody: string, body: unknown): void
  clear(): void
}

const KEEP_BODIES = 1000
const MARKER = /#([A-Za-z0-9_-]{6,})/

export function createCallLog(keepCalls: number): CallLog {
  const calls: RecordedCall[] = []
  let withBody: RecordedCall[] = []
  let lastId = 0
  return {
    calls,
    open(family, method, url, headers) {
      lastId += 1
      const call = newCall(lastId, family, method, url, headers)
      calls.push(call)
      // Dropping one hundredth at a time keeps a full log cheap.
      if (calls.length > keepCalls) calls.splice(0, Math.max(1, Math.floor(keepCalls / 100)))
      return call
    },
    describe(call, rawBody, body) {
      call.rawBody = rawBody
      call.body = body
      if (isObject(body)) {
        call.model = typeof body['model'] === 'string' ? body['model'] : null
        call.marker = markerIn(lastAsked(body))
      }
      withBody.push(call)
      if (withBody.length <= KEEP_BODIES) return
      for (const old of withBody.splice(0, withBody.length - KEEP_BODIES)) {
        old.rawBody = ''
        old.body = null
      }
    },
    clear() {
      calls.length = 0
      withBody = []
    },
  }
}

export function markerIn(text: string): string | null {
  return MARKER.exec(text)?.[1] ?? null
}

function newCall(id: number, family: string, method: string, url: URL, headers: IncomingHttpHeaders): RecordedCall {
  const flat = Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value])
  return {
    id,
    family,
    method,
    path: url.pathname,
    query: url.search.slice(1),
    headers: Object.fromEntries(flat) as Record<string, string>,
    body: null,
    rawBody: '',
    model: null,
    marker: null,
    receivedAt: Date.now(),
    finishedAt: null,
    outcome: 'pending',
    status: null,
    stream: null,
  }
}

/** Of messages, of contents, of items of the Responses API, or of what is to be embedded. */
function lastAsked(body: JsonObject): string {
  const asked = ['messages', 'contents', 'input'].map((name) => lastUserText(body[name]))
  return asked.find((text) => text !== '') ?? lastText(body['input'])
}

/** Works for all formats: text is a string or a list of parts. */
export function lastUserText(messages: unknown): string {
  for (const message of objectsIn(messages).toReversed()) {
    if (message['role'] !== 'user') continue
    const text = textOf(message['content'] ?? message['parts'])
    if (text !== '') return text
  }
  return ''
}

/** Of what is to be embedded. */
export function lastText(input: unknown): string {
  const last = Array.isArray(input) ? input.at(-1) : input
  return typeof last === 'string' ? last : ''
}

const TEXT_PARTS: readonly unknown[] = ['text', 'input_text', 'output_text']

export function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  return objectsIn(content)
    .map(({ type, text }) =>
      (type === undefined || TEXT_PARTS.includes(type)) && typeof text === 'string' ? text : '',
    )
    .join('')
}
