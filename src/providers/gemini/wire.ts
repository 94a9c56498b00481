import { z } from 'zod'
import { listOf } from '../../domain/list-of.ts'

/** Only the fields that are read; any of them may be missing or null. */
const text = z.string().nullish().catch(null)
const anything = z.unknown().optional()

const part = z.object({
  text,
  thought: z.boolean().nullish().catch(null),
  thoughtSignature: text,
  functionCall: z.object({ id: text, name: text, args: anything }).nullish().catch(null),
})

const candidate = z.object({
  index: z.number().nullish().catch(null),
  content: z
    .object({ parts: listOf(part).nullish().catch(null) })
    .nullish()
    .catch(null),
  finishReason: text,
})

/** Also each event of a stream, with what is new in it. */
export const WireResponse = z.object({
  candidates: listOf(candidate).nullish(),
  promptFeedback: z.object({ blockReason: text, blockReasonMessage: text }).nullish().catch(null),
  usageMetadata: z.record(z.string(), z.unknown()).nullish().catch(null),
  modelVersion: text,
  responseId: text,
})
export type WireResponse = z.infer<typeof WireResponse>
export type WireCandidate = z.infer<typeof candidate>

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
