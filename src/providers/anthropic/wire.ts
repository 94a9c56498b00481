import { z } from 'zod'
import { listOf } from '../../domain/list-of.ts'

/** Only the fields that are read; providers and compatible servers may send null for any of them. */
const text = z.string().nullish()
const anything = z.unknown().optional()

/** All kinds of blocks, including unknown ones, which may hold anything under these names. */
const block = z.object({
  type: z.string(),
  text: text.catch(null),
  id: text.catch(null),
  name: text.catch(null),
  input: anything,
  thinking: text.catch(null),
  signature: text.catch(null),
  data: text.catch(null),
})

/** Counts are read by `tokenCount`, which accepts anything. */
export const WireUsage = z.object({
  input_tokens: anything,
  output_tokens: anything,
  cache_creation_input_tokens: anything,
  cache_read_input_tokens: anything,
  cache_creation: z
    .object({ ephemeral_5m_input_tokens: anything, ephemeral_1h_input_tokens: anything })
    .nullish()
    .catch(null),
  output_tokens_details: z.object({ thinking_tokens: anything }).nullish().catch(null),
  server_tool_use: anything,
  inference_geo: anything,
  speed: anything,
  /** What the totals are made of, and what they leave out. */
  iterations: anything,
})

export const WireMessage = z.object({
  content: listOf(block),
  stop_reason: text,
  stop_details: z.object({ explanation: text }).nullish().catch(null),
  usage: WireUsage.nullish().catch(null),
})
export type WireMessage = z.infer<typeof WireMessage>
export type WireBlock = z.infer<typeof block>
export type WireUsage = z.infer<typeof WireUsage>

export const WireError = z.object({
  error: z.object({
    type: text.catch(null),
    message: text.catch(null),
    details: z
      .object({ error_code: text.catch(null) })
      .nullish()
      .catch(null),
  }),
})

const supported = z.object({ supported: z.boolean().nullish() }).nullish().catch(null)
const capability = z.record(z.string(), supported).nullish().catch(null)

export const WireModel = z.object({
  id: z.string().min(1),
  created_at: text.catch(null),
  max_input_tokens: anything,
  max_tokens: anything,
  capabilities: z
    .object({ effort: capability, thinking: z.object({ types: capability }).nullish().catch(null) })
    .nullish()
    .catch(null),
})
export type WireModel = z.infer<typeof WireModel>

export const WireModelPage = z.object({
  data: z.array(z.unknown()),
  has_more: z.boolean().nullish().catch(null),
  last_id: text.catch(null),
})
