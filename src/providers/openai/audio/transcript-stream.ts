import type { Answer } from '../../../domain/request/answer.ts'
import { isJsonObject } from '../../../domain/request/call-request.ts'
import type { TranscriptionRequest } from '../../../domain/request/media/transcription.ts'
import type { ServerSentEvent, StreamPart, StreamReader, StreamUsage } from '../../../domain/request/stream.ts'
import { CUT, parsedEvent, UNREADABLE } from '../../stream-events.ts'
import { failureInStream } from '../chat/stream-failure.ts'
import { counted, measured } from './heard.ts'

const FINISHED: StreamPart = { type: 'message-end', finishReason: 'stop', warning: null }

/** Events of a transcript pass as received. The whole file was sent, so its time is charged wherever the stream ends. */
export class TranscriptStream implements StreamReader {
  readonly hiddenBytes = 0
  isFinished = false
  usage: StreamUsage
  readonly #request: TranscriptionRequest

  constructor(request: TranscriptionRequest) {
    this.#request = request
    this.usage = usageOf(measured(request))
  }

  read({ event, data }: ServerSentEvent): StreamPart[] {
    if (data === '[DONE]') return this.isFinished ? [FINISHED] : []
    const value = parsedEvent(data)
    if (value === null) return [{ type: 'failed', failure: UNREADABLE }]
    const failed = failureInStream(value, event)
    if (failed !== null) return [{ type: 'failed', failure: failed }]
    const isEnd = value['type'] === 'transcript.text.done'
    if (isEnd) {
      this.isFinished = true
      this.usage = usageOf(counted(value, this.#request))
    }
    const text = value['delta'] ?? value['text']
    const contentBytes = isEnd || typeof text !== 'string' ? 0 : Buffer.byteLength(text)
    const chunk: StreamPart = { type: 'chunk', json: data, value, contentBytes, isEnd }
    return isEnd ? [chunk, FINISHED] : [chunk]
  }

  end(): StreamPart[] {
    return this.isFinished ? [FINISHED] : [{ type: 'failed', failure: CUT }]
  }
}

function usageOf({ usage, usageSource, orTokens }: ReturnType<typeof counted>): StreamUsage {
  return {
    ...{ tokens: usage as StreamUsage['tokens'], body: {}, isFinal: true },
    ...(usageSource !== undefined && { source: usageSource }),
    ...(orTokens !== undefined && { orTokens }),
  }
}

/** Of a model that does not stream: the official client would otherwise read nothing, and say nothing. */
export function transcriptParts({ body }: Answer): StreamPart[] {
  const { text, usage } = body
  const delta = { type: 'transcript.text.delta', delta: text }
  const done = { type: 'transcript.text.done', text, ...(isJsonObject(usage) ? { usage } : {}) }
  const chunk = (value: Record<string, unknown>, contentBytes: number, isEnd: boolean): StreamPart => ({
    ...{ type: 'chunk', json: JSON.stringify(value), value, contentBytes, isEnd },
  })
  return [chunk(delta, Buffer.byteLength(String(text)), false), chunk(done, 0, true), FINISHED]
}
