import { z } from 'zod'
import { listOf } from '../../domain/list-of.ts'
import { isJsonObject, type JsonObject } from '../../domain/request/call-request.ts'

/** Only the fields that are read; any of them may be missing or null. */
const text = z.string().nullish().catch(null)
const anything = z.unknown().optional()

/**
 * A response, or an event of a stream with what is new in it. Read by hand: a stream has very many of them. Of its parts
 * nothing is checked here.
 */
export interface WireResponse {
  candidates: readonly WireCandidate[]
  blockReason: string | null
  usage: JsonObject | null
  /** The one that was asked: a vendor may answer with another version, and forgets that in the next turn. */
  model: string | null
  responseId: string | null
}

export interface WireCandidate {
  index: number
  parts: readonly JsonObject[]
  finishReason: string | null
  /** What it searched for. */
  grounding: unknown
}

/** Null: it is no response. */
export function responseOf(value: unknown, asked?: string): WireResponse | null {
  if (!isJsonObject(value)) return null
  const { promptFeedback: feedback, usageMetadata: usage } = value
  const candidates = value['candidates'] ?? []
  if (!Array.isArray(candidates) || !candidates.every(isJsonObject)) return null
  return {
    candidates: candidates.map(candidateOf),
    blockReason: isJsonObject(feedback) ? textIn(feedback, 'blockReason') : null,
    usage: isJsonObject(usage) ? usage : null,
    model: asked ?? textIn(value, 'modelVersion'),
    responseId: textIn(value, 'responseId'),
  }
}

function candidateOf(candidate: JsonObject, at: number): WireCandidate {
  const { index, content } = candidate
  const parts = isJsonObject(content) ? content['parts'] : null
  return {
    index: typeof index === 'number' ? index : at,
    parts: Array.isArray(parts) ? parts.filter(isJsonObject) : [],
    finishReason: textIn(candidate, 'finishReason'),
    grounding: candidate['groundingMetadata'] ?? null,
  }
}

/** Null: there is none, or an empty one. */
export function textIn(object: JsonObject, name: string): string | null {
  const value = object[name]
  return typeof value === 'string' && value !== '' ? value : null
}

const detail = z.object({
  '@type': text,
  reason: text,
  retryDelay: text,
  violations: listOf(z.object({ quotaId: text }))
    .nullish()
    .catch(null),
})

const ErrorBody = z.object({
  error: z.object({
    code: z.number().nullish().catch(null),
    message: text,
    status: text,
    details: listOf(detail).nullish().catch(null),
  }),
})

/** A stream that is no event stream wraps it in a list. */
export const WireError = z.union([ErrorBody, z.tuple([ErrorBody], z.unknown()).transform(([first]) => first)])

export const WireModelPage = z.object({ models: z.array(z.unknown()).nullish(), nextPageToken: text })

export const WireModel = z.object({
  name: z.string().min(1),
  inputTokenLimit: anything,
  outputTokenLimit: anything,
  supportedGenerationMethods: z.array(z.string()).nullish().catch(null),
  thinking: z.boolean().nullish().catch(null),
})
export type WireModel = z.infer<typeof WireModel>
