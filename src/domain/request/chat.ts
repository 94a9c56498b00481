import { z } from 'zod'
import { GatewayError } from '../errors.ts'
import { listOf } from '../list-of.ts'
import { problemOf } from '../problem-text.ts'
import { worded } from '../wording/worded.ts'
import { isJsonObject, type JsonObject } from './call-request.ts'
import { boolean, either, fieldSchemas, hasFields, list, named, number, object, text, typed } from './chat-shape.ts'

/**
 * The chat-completions request, as far as the gateway must understand it before it knows the provider. Ranges are not
 * checked: values pass verbatim and the provider judges them (docs/contract.md).
 */
const FIELDS = {
  temperature: number,
  top_p: number,
  max_tokens: number,
  max_completion_tokens: number,
  n: number,
  seed: number,
  frequency_penalty: number,
  presence_penalty: number,
  top_logprobs: number,
  stop: either(text, list(text), 'expected a string or an array of strings'),
  stream: boolean,
  logprobs: boolean,
  store: boolean,
  parallel_tool_calls: boolean,
  user: text,
  safety_identifier: text,
  reasoning_effort: text,
  service_tier: text,
  tools: list(typed),
  tool_choice: either(text, typed, 'expected a string or an object with a type'),
  functions: list(named),
  function_call: either(text, named, 'expected a string or an object with a name'),
  response_format: typed,
  logit_bias: object,
  metadata: object,
  stream_options: object,
  modalities: list(text),
}

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool', 'function'] as const
/** Roles whose content may be missing. */
const ANSWERING: ReadonlySet<unknown> = new Set(['assistant', 'tool', 'function'])

const content = either(text, list(typed), 'expected a string or an array of parts with a type')
const MESSAGE_FIELDS = { content, name: text, tool_call_id: text, refusal: text }

const toolCall = z.looseObject({
  id: z.string().nullish(),
  type: z.string().nullish(),
  function: z.looseObject({ name: z.string() }).nullish(),
})

const message = z
  .looseObject({ role: z.enum(ROLES), ...fieldSchemas(MESSAGE_FIELDS), tool_calls: listOf(toolCall).nullish() })
  .superRefine((value, context) => {
    if (value.role === 'tool' && typeof value.tool_call_id !== 'string') {
      context.addIssue({ code: 'custom', path: ['tool_call_id'], message: 'a tool message needs a tool_call_id' })
    }
    if (!ANSWERING.has(value.role) && isAbsent(value.content)) {
      context.addIssue({ code: 'custom', path: ['content'], message: 'expected a string or an array of parts' })
    }
  })

export const ChatRequestSchema = z.looseObject({
  model: z.string().min(1),
  messages: listOf(message).refine((messages) => messages.length > 0, 'expected at least one message'),
  ...fieldSchemas(FIELDS),
})

export type ChatRequest = z.infer<typeof ChatRequestSchema>
export type ChatMessage = ChatRequest['messages'][number]

/**
 * Checks the shape and returns the caller's own object, not a copy: key order and unknown fields stay as sent.
 * Unless streams are allowed, one is refused with `not_implemented` before anything else is checked (docs/contract.md).
 */
export function readChatRequest(value: unknown, allowsStream = false): ChatRequest {
  if (!isJsonObject(value)) throw new GatewayError('invalid_request', worded`The body must be a JSON object.`)
  if (value['stream'] === true && !allowsStream) throw new GatewayError('not_implemented')
  if (isUsual(value)) return value as ChatRequest
  const parsed = ChatRequestSchema.safeParse(value)
  if (!parsed.success) throw new GatewayError('invalid_request', problemOf(parsed.error))
  return value as ChatRequest
}

const CHECKED = new Map(Object.entries(FIELDS))
const KNOWN_ROLES: ReadonlySet<unknown> = new Set(ROLES)

/** Accepts common requests quickly; all others go to the schema. */
export function isUsual(request: JsonObject): boolean {
  const { model, messages } = request
  if (typeof model !== 'string' || model === '' || !Array.isArray(messages) || messages.length === 0) return false
  return hasFields(request, CHECKED) && messages.every(isUsualMessage)
}

function isUsualMessage(value: unknown): boolean {
  if (!isJsonObject(value)) return false
  const { role, content: held, name, refusal, tool_call_id: toolCallId, tool_calls: toolCalls } = value
  if (!KNOWN_ROLES.has(role)) return false
  if (isAbsent(held) ? !ANSWERING.has(role) : !content.is(held)) return false
  if (!isTextOrAbsent(name) || !isTextOrAbsent(refusal)) return false
  if (!isTextOrAbsent(toolCallId) || (role === 'tool' && isAbsent(toolCallId))) return false
  return isAbsent(toolCalls) || (Array.isArray(toolCalls) && toolCalls.every(isUsualToolCall))
}

function isTextOrAbsent(value: unknown): boolean {
  return typeof value === 'string' || isAbsent(value)
}

function isUsualToolCall(value: unknown): boolean {
  if (!isJsonObject(value)) return false
  return text.is(value['id']) && text.is(value['type']) && named.is(value['function'])
}

function isAbsent(value: unknown): boolean {
  return value === null || value === undefined
}
