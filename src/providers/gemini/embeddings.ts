import { failure } from '../../domain/failure.ts'
import { NO_USAGE, tokenCount } from '../../domain/pricing/usage.ts'
import { isJsonObject } from '../../domain/request/call-request.ts'
import type { EmbeddingsRequest } from '../../domain/request/embeddings.ts'
import { quoted } from '../../domain/request/rejection.ts'
import { type Worded, worded } from '../../domain/wording/worded.ts'
import type { Reading, Target, Translation, Translator } from '../family.ts'
import type { Door } from './door.ts'
import { failureIn } from './failure.ts'

/** Nothing is generated. */
const BOUNDS = { outputTokens: 0, answers: 1, namedPercent: 100, accountPercent: 100 }

/** One text or many: always the call for many, so that the address does not depend on the body. */
export function embeddingsThrough(door: Door): Translator<EmbeddingsRequest> {
  return {
    target: (provider, model) => door.target(provider, model, 'batchEmbedContents'),
    namesModel: true,
    toWire,
    fromWire,
  }
}

export const KNOWN_FIELDS: ReadonlySet<string> = new Set(['model', 'input', 'dimensions', 'encoding_format', 'user'])

export function toWire(request: EmbeddingsRequest, { model }: Target): Translation {
  const texts = textsOf(request.input)
  if (texts === null) return refused(worded`input: tokens of another tokenizer are not supported by this provider`)
  const unknown = Object.keys(request).find((name) => !KNOWN_FIELDS.has(name) && (request[name] ?? null) !== null)
  if (unknown !== undefined) return refused(worded`unknown parameter ${quoted(unknown)}`)
  const { dimensions, user } = request
  const size = (dimensions ?? null) === null ? {} : { outputDimensionality: dimensions }
  const name = model.includes('/') ? model : `models/${model}`
  const requests = texts.map((text) => ({ model: name, content: { parts: [{ text }] }, ...size }))
  const ignored = (user ?? null) === null ? [] : ['user']
  return { kind: 'wire', body: { requests }, ignored, adjustments: [], bounds: BOUNDS }
}

function refused(message: Worded): Translation {
  return { kind: 'refused', code: 'unsupported_parameter', message }
}

/** Null: tokens, or lists of them. */
export function textsOf(input: EmbeddingsRequest['input']): string[] | null {
  const inputs: readonly unknown[] = typeof input === 'string' ? [input] : input
  return inputs.every((each) => typeof each === 'string') ? [...inputs] : null
}

function fromWire(body: unknown, request: EmbeddingsRequest): Reading {
  const listed = isJsonObject(body) ? (body['embeddings'] ?? [body['embedding']]) : null
  const vectors = Array.isArray(listed) ? listed.map(vectorOf) : []
  if (!isJsonObject(body) || vectors.length === 0 || vectors.some((vector) => vector === null)) {
    const message = worded`The provider answered without a list of embeddings.`
    return { kind: 'failure', failure: failureIn(body) ?? failure('upstream_error', message, 200, { retry: 'once' }) }
  }
  const isBase64 = request.encoding_format === 'base64'
  const data = vectors.map((vector, index) => {
    return { object: 'embedding', index, embedding: isBase64 ? base64Of(vector ?? []) : vector }
  })
  const counted = body['usageMetadata']
  const usage = isJsonObject(counted) ? { ...NO_USAGE, input: tokenCount(counted['promptTokenCount']) } : null
  const told = usage === null ? {} : { usage: { prompt_tokens: usage.input, total_tokens: usage.input } }
  return {
    kind: 'answer',
    answer: { body: { object: 'list', data, ...told }, usage, finishReason: null, warning: null },
  }
}

function vectorOf(embedding: unknown): number[] | null {
  const values = isJsonObject(embedding) ? embedding['values'] : null
  return Array.isArray(values) && values.every((value) => typeof value === 'number') ? values : null
}

export function base64Of(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4)
  vector.forEach((value, at) => {
    bytes.writeFloatLE(value, at * 4)
  })
  return bytes.toString('base64')
}
