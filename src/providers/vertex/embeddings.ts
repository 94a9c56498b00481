import { NO_USAGE, tokenCount } from '../../domain/pricing/usage.ts'
import { isJsonObject } from '../../domain/request/call-request.ts'
import type { EmbeddingsRequest } from '../../domain/request/embeddings.ts'
import { worded } from '../../domain/wording/worded.ts'
import type { Reading, Translator } from '../family.ts'
import { fromWire, readingOf, refused, translated, vectorOf } from '../gemini/embeddings.ts'
import { publisherTarget } from './endpoint.ts'

/** Older models have another call here than at the vendor's own API. */
export const predictions: Translator<EmbeddingsRequest> = {
  target: (provider, model) => publisherTarget(provider, 'google', model, 'predict'),
  namesModel: true,
  toWire: (request) =>
    translated(request, (texts, size) => ({
      instances: texts.map((content) => ({ content })),
      ...(Object.keys(size).length === 0 ? {} : { parameters: size }),
    })),
  fromWire: fromPredictions,
}

/** Newer ones have that of the vendor's own API, but only for one text. */
export const contents: Translator<EmbeddingsRequest> = {
  target: (provider, model) => publisherTarget(provider, 'google', model, 'embedContent'),
  namesModel: true,
  toWire(request, { model }) {
    if (Array.isArray(request.input) && request.input.length > 1 && typeof request.input[0] !== 'number') {
      return refused(worded`input: ${model} takes one text a call on this provider; send them one by one`)
    }
    return translated(request, ([text = ''], size) => ({
      content: { parts: [{ text }] },
      ...(Object.keys(size).length === 0 ? {} : { embedContentConfig: size }),
    }))
  },
  fromWire,
}

/** As the vendor's own client decides it. */
export function embedsContent(model: string): boolean {
  return model.includes('gemini') && model !== 'gemini-embedding-001'
}

function fromPredictions(body: unknown, request: EmbeddingsRequest): Reading {
  const listed = isJsonObject(body) && Array.isArray(body['predictions']) ? body['predictions'] : []
  const embeddings = listed.map((prediction) => (isJsonObject(prediction) ? prediction['embeddings'] : null))
  const input = embeddings.reduce<number>((sum, embedding) => sum + tokensOf(embedding), 0)
  return readingOf(embeddings.map(vectorOf), { ...NO_USAGE, input }, body, request)
}

function tokensOf(embedding: unknown): number {
  const statistics = isJsonObject(embedding) ? embedding['statistics'] : null
  return isJsonObject(statistics) ? tokenCount(statistics['token_count']) : 0
}
