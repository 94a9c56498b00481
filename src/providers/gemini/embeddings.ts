import { type Failure, failure } from '../../domain/failure.ts'
import { NO_USAGE, type TokenUsage, tokenCount } from '../../domain/pricing/usage.ts'
import { isJsonObject, type JsonObject } from '../../domain/request/call-request.ts'
import { type EmbeddingsRequest, inputCount } from '../../domain/request/embeddings.ts'
import { quoted } from '../../domain/request/rejection.ts'
import { type Worded, worded } from '../../domain/wording/worded.ts'
import type { Reading, Target, Translation, Translator } from '../family.ts'
import type { Door } from './door.ts'
import { failureIn } from './failure.ts'

/** Nothing is generated. */
export const NOTHING_GENERATED = { outputTokens: 0, answers: 1, namedPercent: 100, accountPercent: 100 }

/** One text or many: always the call for many, so that the address does not depend on the body. */
export function embeddingsThrough(door: Door): Translator<EmbeddingsRequest> {
  return {
    target: (provider, model) => door.target(provider, model, 'batchEmbedContents'),
    namesModel: true,
    toWire,
    fromWire,
  }
}

const KNOWN_FIELDS: ReadonlySet<string> = new Set(['model', 'input', 'dimensions', 'encoding_format', 'user'])

export function toWire(request: EmbeddingsRequest, { model }: Target): Translation {
  return translated(request, (texts, size) => {
    return { requests: texts.map((text) => ({ model: nameOf(model), content: { parts: [{ text }] }, ...size })) }
  })
}

/** A model as a body names it. */
export function nameOf(model: string): string {
  return model.includes('/') ? model : `models/${model}`
}

/** What every call for embeddings refuses and ignores alike; `bodyOf` makes the body of texts and their size. */
export function translated(
  request: EmbeddingsRequest,
  bodyOf: (texts: readonly string[], size: { outputDimensionality?: unknown }) => JsonObject,
): Translation {
  const texts = textsOf(request.input)
  if (texts === null) return refused(worded`input: tokens of another tokenizer are not supported by this provider`)
  const unknown = Object.keys(request).find((name) => !KNOWN_FIELDS.has(name) && (request[name] ?? null) !== null)
  if (unknown !== undefined) return refused(worded`unknown parameter ${quoted(unknown)}`)
  const { dimensions, user } = request
  const size = (dimensions ?? null) === null ? {} : { outputDimensionality: dimensions }
  const ignored = (user ?? null) === null ? [] : ['user']
  return { kind: 'wire', body: bodyOf(texts, size), ignored, adjustments: [], bounds: NOTHING_GENERATED }
}

export function refused(message: Worded): Translation {
  return { kind: 'refused', code: 'unsupported_parameter', message }
}

/** Null: tokens, or lists of them. */
function textsOf(input: EmbeddingsRequest['input']): string[] | null {
  const inputs: readonly unknown[] = typeof input === 'string' ? [input] : input
  return inputs.every((each) => typeof each === 'string') ? [...inputs] : null
}

export function fromWire(body: unknown, request: EmbeddingsRequest): Reading {
  return readingOf(vectorsIn(body), usageIn(body), body, request)
}

/** Of one content or of many. */
export function vectorsIn(body: unknown): (number[] | null)[] {
  const { embeddings, embedding } = isJsonObject(body) ? body : {}
  const listed = embeddings ?? (embedding === undefined ? [] : [embedding])
  return Array.isArray(listed) ? listed.map(vectorOf) : []
}

/** Null: older models count nothing. */
export function usageIn(body: unknown): TokenUsage | null {
  const counted = isJsonObject(body) ? body['usageMetadata'] : null
  return isJsonObject(counted) ? { ...NO_USAGE, input: tokenCount(counted['promptTokenCount']) } : null
}

/** The vectors of an answer as the caller asked for them. A missing one would shift those after it to other inputs. */
export function readingOf(
  vectors: readonly (number[] | null)[],
  usage: TokenUsage | null,
  body: unknown,
  request: EmbeddingsRequest,
): Reading {
  const missing = missingIn(vectors, inputCount(request), body)
  if (missing !== null) return { kind: 'failure', failure: missing }
  const isBase64 = request.encoding_format === 'base64'
  const data = vectors.map((vector, index) => {
    return { object: 'embedding', index, embedding: isBase64 ? base64Of(vector ?? []) : vector }
  })
  const counted = usage === null ? {} : { usage: { prompt_tokens: usage.input, total_tokens: usage.input } }
  return {
    kind: 'answer',
    answer: { body: { object: 'list', data, ...counted }, usage, finishReason: null, warning: null },
  }
}

/** Null: there is one for each input. */
export function missingIn(vectors: readonly (number[] | null)[], inputs: number, body: unknown): Failure | null {
  if (vectors.length >= inputs && !vectors.includes(null)) return null
  const message =
    vectors.length === 0
      ? worded`The provider answered without a list of embeddings.`
      : worded`The provider answered with fewer embeddings than there are inputs.`
  return failureIn(body) ?? failure('upstream_error', message, 200, { retry: 'once' })
}

export function vectorOf(embedding: unknown): number[] | null {
  const values = isJsonObject(embedding) ? embedding['values'] : null
  return Array.isArray(values) && values.every((value) => typeof value === 'number') ? values : null
}

function base64Of(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4)
  vector.forEach((value, at) => {
    bytes.writeFloatLE(value, at * 4)
  })
  return bytes.toString('base64')
}
