import { failure } from '../../domain/failure.ts'
import { NO_USAGE, tokenCount } from '../../domain/pricing/usage.ts'
import { isJsonObject, type JsonObject } from '../../domain/request/call-request.ts'
import type { EmbeddingsRequest } from '../../domain/request/embeddings.ts'
import { quoted } from '../../domain/request/rejection.ts'
import { type Worded, worded } from '../../domain/wording/worded.ts'
import type { Reading, Translation, Translator } from '../family.ts'
import { base64Of, KNOWN_FIELDS, textsOf } from '../gemini/embeddings.ts'
import { failureIn } from '../gemini/failure.ts'
import { publisherTarget } from './endpoint.ts'

/** Nothing is generated. */
const BOUNDS = { outputTokens: 0, answers: 1, namedPercent: 100, accountPercent: 100 }

/** Embeddings have another call here than at the vendor's own API. */
export const embeddings: Translator<EmbeddingsRequest> = {
  target: (provider, model) => publisherTarget(provider, 'google', model, 'predict'),
  namesModel: true,
  toWire,
  fromWire,
}

function toWire(request: EmbeddingsRequest): Translation {
  const texts = textsOf(request.input)
  if (texts === null) return refused(worded`input: tokens of another tokenizer are not supported by this provider`)
  const unknown = Object.keys(request).find((name) => !KNOWN_FIELDS.has(name) && (request[name] ?? null) !== null)
  if (unknown !== undefined) return refused(worded`unknown parameter ${quoted(unknown)}`)
  const { dimensions, user } = request
  const body: JsonObject = { instances: texts.map((content) => ({ content })) }
  if ((dimensions ?? null) !== null) body['parameters'] = { outputDimensionality: dimensions }
  return { kind: 'wire', body, ignored: (user ?? null) === null ? [] : ['user'], adjustments: [], bounds: BOUNDS }
}

function refused(message: Worded): Translation {
  return { kind: 'refused', code: 'unsupported_parameter', message }
}

function fromWire(body: unknown, request: EmbeddingsRequest): Reading {
  const predictions = isJsonObject(body) && Array.isArray(body['predictions']) ? body['predictions'] : []
  const vectors = predictions.map(vectorOf)
  if (vectors.length === 0 || vectors.some((vector) => vector === null)) {
    const message = worded`The provider answered without a list of embeddings.`
    return { kind: 'failure', failure: failureIn(body) ?? failure('upstream_error', message, 200, { retry: 'once' }) }
  }
  const isBase64 = request.encoding_format === 'base64'
  const data = vectors.map((vector, index) => {
    const values = vector?.values ?? []
    return { object: 'embedding', index, embedding: isBase64 ? base64Of(values) : values }
  })
  const input = vectors.reduce((sum, vector) => sum + (vector?.tokens ?? 0), 0)
  const told = { prompt_tokens: input, total_tokens: input }
  const answer = { body: { object: 'list', data, usage: told }, usage: { ...NO_USAGE, input } }
  return { kind: 'answer', answer: { ...answer, finishReason: null, warning: null } }
}

function vectorOf(prediction: unknown): { values: number[]; tokens: number } | null {
  const embedding = isJsonObject(prediction) ? prediction['embeddings'] : null
  if (!isJsonObject(embedding) || !Array.isArray(embedding['values'])) return null
  const { values, statistics } = embedding
  if (!values.every((value: unknown) => typeof value === 'number')) return null
  return { values, tokens: isJsonObject(statistics) ? tokenCount(statistics['token_count']) : 0 }
}
