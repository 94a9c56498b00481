import { familyNamed } from '../../../src/bodies/destination.ts'
import { NO_USAGE } from '../../../src/domain/pricing/usage.ts'
import type { JsonObject } from '../../../src/domain/request/call-request.ts'
import type { ChatRequest } from '../../../src/domain/request/chat.ts'
import type { StreamPart, StreamUsage } from '../../../src/domain/request/stream.ts'
import { chatCompletions } from '../../../src/endpoints/chat-completions/chat-completions.ts'
import { ServerSentEvents } from '../../../src/upstream/server-sent-events.ts'

export const STAMP = { id: 'chatcmpl_1', model: 'fast', created: 7 }
export const GATEWAY = { cost_usd: '0.1' }

export interface Translated {
  parts: StreamPart[]
  usage: StreamUsage | null
  hiddenBytes: number
  /** As sent before the end of the stream. */
  live: string
  /** As sent at its end; empty where it failed. */
  end: string
}

/** What a caller gets of a provider's body: bytes in, frames out, as the kernel does it. */
export function translateStream(family: string, pieces: readonly Uint8Array[], fields: JsonObject = {}): Translated {
  const request = { model: 'fast', messages: [], stream: true, ...fields } as unknown as ChatRequest
  const { stream } = chatCompletions
  const reader = familyNamed(family).translators.chat?.stream?.open(request)
  if (stream === undefined || reader === undefined) throw new Error('there are no streams')
  const writer = stream.open(request, STAMP)
  const body = new ServerSentEvents()
  const events = [...pieces.flatMap((piece) => body.read(piece)), ...body.end()]
  const parts = [...events.flatMap((event) => reader.read(event)), ...reader.end()]
  const live = parts.map((part) => writer.write(part)).join('')
  const hasFailed = parts.some(({ type }) => type === 'failed')
  const { usage, hiddenBytes } = reader
  return {
    parts,
    usage,
    hiddenBytes,
    live,
    end: hasFailed ? '' : writer.end({ usage, tokens: usage?.tokens ?? NO_USAGE, gateway: GATEWAY }),
  }
}

/** The JSON of each frame, and `[DONE]`. */
export function framesOf(text: string): unknown[] {
  if (text === '') return []
  const frames = text.split('\n\n')
  if (frames.pop() !== '') throw new Error('the last frame is not complete')
  return frames.map((frame) => {
    if (!frame.startsWith('data: ')) throw new Error(`not a frame: ${frame}`)
    const data = frame.slice('data: '.length)
    return data === '[DONE]' ? data : JSON.parse(data)
  })
}

export function bodyOf(...events: (JsonObject | string)[]): Buffer {
  return Buffer.from(
    events
      .map((event) => {
        const name = typeof event === 'object' && typeof event['type'] === 'string' ? `event: ${event['type']}\n` : ''
        return `${name}data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`
      })
      .join(''),
  )
}
