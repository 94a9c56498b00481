import { failure } from '../../../domain/failure.ts'
import { NO_USAGE, type TokenUsage, tokenCount } from '../../../domain/pricing/usage.ts'
import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import { type EmbeddingsRequest, inputCount } from '../../../domain/request/embeddings.ts'
import { worded } from '../../../domain/wording/worded.ts'
import type { Reading, Target, Translation, Translator } from '../../family.ts'
import { renamed, renaming } from '../../rename.ts'
import { failureFromErrorBody } from '../failure.ts'
import { costlyField, EMBEDDINGS_FIELDS } from '../free-fields.ts'
import { targetOf } from '../target.ts'

/** An embedding has no output tokens, and no tier or region changes its price. */
const BOUNDS = { outputTokens: 0, answers: 1, namedPercent: 100, accountPercent: 100 }

export const embeddings: Translator<EmbeddingsRequest> = {
  target: (provider) => targetOf(provider, '/embeddings'),
  toWire,
  fromWire,
  isVerbatim: true,
}

function toWire(request: EmbeddingsRequest, { model, renames, isStrict }: Target): Translation {
  const costly = isStrict === true ? costlyField(request, EMBEDDINGS_FIELDS) : null
  if (costly !== null) return { kind: 'refused', code: 'unsupported_parameter', message: costly }
  const { body, applied } = renamed({ ...request, model }, renames)
  return { kind: 'wire', body, ignored: [], adjustments: applied.map(renaming), bounds: BOUNDS }
}

function fromWire(body: unknown, request: EmbeddingsRequest): Reading {
  const data = isJsonObject(body) ? body['data'] : undefined
  if (!isJsonObject(body) || !Array.isArray(data) || !data.every(isJsonObject)) {
    const failed = isJsonObject(body) ? failureFromErrorBody(body) : null
    if (failed !== null) return { kind: 'failure', failure: failed }
    const message = worded`The provider answered without a list of embeddings.`
    return { kind: 'failure', failure: failure('upstream_error', message, 200, { retry: 'once' }) }
  }
  if (data.length < inputCount(request)) {
    const message = worded`The provider answered with fewer embeddings than there are inputs.`
    return { kind: 'failure', failure: failure('upstream_error', message, 200, { retry: 'once' }) }
  }
  const inOrder = isInOrder(data) ? data : data.toSorted((a, b) => indexOf(a) - indexOf(b))
  const items = request.encoding_format === 'base64' ? inOrder : inOrder.map(withNumbers)
  const usage = usageFromWire(body['usage'])
  // Clients refuse a usage without prompt tokens; some servers count only the total.
  const counted = usage === null ? {} : { usage: { prompt_tokens: usage.input, ...(body['usage'] as JsonObject) } }
  const answer = { body: { ...body, data: items, ...counted }, usage, finishReason: null, warning: null }
  return { kind: 'answer', answer }
}

function isInOrder(data: readonly JsonObject[]): boolean {
  return data.every((item, at) => typeof item['index'] !== 'number' || item['index'] === at)
}

function indexOf({ index }: JsonObject): number {
  return typeof index === 'number' ? index : 0
}

/** Numbers are the default; some servers send base64 regardless. Clients handle the opposite case. */
function withNumbers(item: JsonObject): JsonObject {
  const { embedding } = item
  if (typeof embedding !== 'string') return item
  const bytes = Buffer.from(embedding, 'base64')
  const numbers = Array.from({ length: Math.floor(bytes.length / 4) }, (_, at) => bytes.readFloatLE(at * 4))
  return { ...item, embedding: numbers }
}

/** Null when the provider reported no usage; some report only the total. */
function usageFromWire(value: unknown): TokenUsage | null {
  if (!isJsonObject(value)) return null
  return { ...NO_USAGE, input: tokenCount(value['prompt_tokens'] ?? value['total_tokens']) }
}
