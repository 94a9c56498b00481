import { z } from 'zod'
import { GatewayError } from '../errors.ts'
import { listOf } from '../list-of.ts'
import { problemOf } from '../problem-text.ts'
import { worded } from '../wording/worded.ts'
import { isJsonObject, type JsonObject } from './call-request.ts'
import { boolean, either, fieldSchemas, hasFields, list, number, object, text, typed } from './chat-shape.ts'

/**
 * The Messages request, as far as the gateway must understand it before it knows the provider. Agents send fields that
 * are newer than this list: they pass, and the provider judges them.
 */
const content = either(text, list(typed), 'expected a string or an array of blocks with a type')

const FIELDS = {
  system: content,
  stream: boolean,
  temperature: number,
  top_p: number,
  top_k: number,
  stop_sequences: list(text),
  tools: list(object),
  tool_choice: typed,
  thinking: typed,
  output_config: object,
  metadata: object,
  service_tier: text,
  speed: text,
  inference_geo: text,
}

const message = z.looseObject({ role: z.string('expected a string'), content: content.schema })

const shared = {
  model: z.string().min(1),
  messages: listOf(message).refine((messages) => messages.length > 0, 'expected at least one message'),
  ...fieldSchemas(FIELDS),
}

export const MessagesRequestSchema = z.looseObject({ ...shared, max_tokens: z.number() })
/** A count needs no limit. */
export const CountTokensRequestSchema = z.looseObject(shared)

export type MessagesRequest = z.infer<typeof MessagesRequestSchema>
export type CountTokensRequest = z.infer<typeof CountTokensRequestSchema>
export type MessagesMessage = MessagesRequest['messages'][number]

/**
 * The signature of reasoning that came from a provider without signatures. Clients send the block back, and fail without
 * any signature; the gateway removes it again.
 */
export const UNSIGNED = 'c3dpdGNoeWFyZA=='

/** Checks the shape and returns the caller's own object, not a copy: key order and unknown fields stay as sent. */
export function readMessagesRequest(value: unknown, allowsStream = false): MessagesRequest {
  const request = objectIn(value)
  if (request['stream'] === true && !allowsStream) throw new GatewayError('not_implemented')
  if (typeof request['max_tokens'] !== 'number' || !isUsual(request)) check(request, MessagesRequestSchema)
  return request as MessagesRequest
}

export function readCountTokensRequest(value: unknown): CountTokensRequest {
  const request = objectIn(value)
  if (!isUsual(request)) check(request, CountTokensRequestSchema)
  return request as CountTokensRequest
}

function objectIn(value: unknown): JsonObject {
  if (!isJsonObject(value)) throw new GatewayError('invalid_request', worded`The body must be a JSON object.`)
  return value
}

function check(request: JsonObject, schema: z.ZodType): void {
  const parsed = schema.safeParse(request)
  if (!parsed.success) throw new GatewayError('invalid_request', problemOf(parsed.error))
}

const CHECKED = new Map(Object.entries(FIELDS))

/** Accepts common requests quickly; all others go to the schema. */
function isUsual(request: JsonObject): boolean {
  const { model, messages } = request
  if (typeof model !== 'string' || model === '' || !Array.isArray(messages) || messages.length === 0) return false
  return hasFields(request, CHECKED) && messages.every(isUsualMessage)
}

function isUsualMessage(value: unknown): boolean {
  return isJsonObject(value) && typeof value['role'] === 'string' && content.is(value['content'])
}
