import { wordsOf } from '../fragments.ts'
import { type JsonObject, objectOrEmpty, objectsIn } from '../json.ts'
import type { Oddity, StreamEvent } from '../stream/script.ts'

const NOTHING_YET = { promptTokenCount: 0, candidatesTokenCount: 0, totalTokenCount: 0 }

/** Each event is its own response with what is new; the last one says why it ended. */
export function* streamContent(answer: JsonObject): Iterable<StreamEvent> {
  const { candidates, usageMetadata, modelVersion, responseId } = answer
  const { promptTokenCount, totalTokenCount: _total, ...counted } = objectOrEmpty(usageMetadata)
  const event = (
    phase: StreamEvent['phase'],
    index: unknown,
    parts: JsonObject[],
    more: JsonObject,
    usage: unknown,
  ) => ({
    phase,
    data: {
      candidates: [{ content: { role: 'model', parts }, index, ...more }],
      usageMetadata: usage,
      modelVersion,
      responseId,
    },
  })
  for (const { content, finishReason, index } of objectsIn(candidates)) {
    for (const part of objectsIn(objectOrEmpty(content)['parts'])) {
      if (part['functionCall'] !== undefined) yield event('content', index, [part], {}, { promptTokenCount })
      else if (part['text'] === '') yield event('finish', index, [part], {}, { promptTokenCount })
      else for (const text of wordsOf(part['text'])) yield event('content', index, [{ text }], {}, { promptTokenCount })
    }
    yield event('finish', index, [{ text: '' }], { finishReason }, { promptTokenCount, ...counted })
  }
}

export const GEMINI_ODDITIES: Record<string, Oddity> = {
  /** Counts nothing at first. */
  'early-zero': (events) => [{ phase: 'start', data: { usageMetadata: NOTHING_YET } }, ...events],
  /** Counts once more behind the end. */
  'late-usage': (events, { usageMetadata }) => [...events, { phase: 'done', data: { usageMetadata } }],
}
