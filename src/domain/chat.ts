import { z } from 'zod'
import { isPlainChat } from '../endpoints/chat-completions/plain-chat.ts'
import { GatewayError } from './errors.ts'
import { listOf } from './list-of.ts'
import { problemText } from './problem-text.ts'

/**
 * The common chat-completions schema as far as the gateway must understand it before it knows the provider
 * (translation.md 1.0). Objects are loose: what we do not know passes through. No ranges are checked here,
 * because the contract says "verbatim": the provider judges values.
 */
const text = z.string()
const nullish = <T extends z.ZodType>(type: T) => type.nullish()

const part = z.looseObject({ type: text })
const toolCall = z.looseObject({
  id: nullish(text),
  type: nullish(text),
  function: nullish(z.looseObject({ name: text })),
})

const message = z
  .looseObject({
    role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
    content: nullish(z.union([text, listOf(part)], 'expected a string or an array of parts with a type')),
    name: nullish(text),
    tool_calls: nullish(listOf(toolCall)),
    tool_call_id: nullish(text),
    refusal: nullish(text),
  })
  .superRefine((value, context) => {
    if (value.role === 'tool' && typeof value.tool_call_id !== 'string') {
      context.addIssue({ code: 'custom', path: ['tool_call_id'], message: 'a tool message needs a tool_call_id' })
    }
    const needsContent = value.role !== 'assistant' && value.role !== 'tool' && value.role !== 'function'
    if (needsContent && (value.content === null || value.content === undefined)) {
      context.addIssue({ code: 'custom', path: ['content'], message: 'expected a string or an array of parts' })
    }
  })

const number = nullish(z.number())
const boolean = nullish(z.boolean())
const string = nullish(text)

export const ChatRequestSchema = z.looseObject({
  model: text.min(1),
  messages: listOf(message).refine((list) => list.length > 0, 'expected at least one message'),
  temperature: number,
  top_p: number,
  max_tokens: number,
  max_completion_tokens: number,
  n: number,
  seed: number,
  frequency_penalty: number,
  presence_penalty: number,
  top_logprobs: number,
  stop: nullish(z.union([text, listOf(text)], 'expected a string or an array of strings')),
  stream: boolean,
  logprobs: boolean,
  store: boolean,
  parallel_tool_calls: boolean,
  user: string,
  safety_identifier: string,
  reasoning_effort: string,
  service_tier: string,
  tools: nullish(listOf(z.looseObject({ type: text }))),
  tool_choice: nullish(z.union([text, z.looseObject({ type: text })], 'expected a string or an object with a type')),
  functions: nullish(listOf(z.looseObject({ name: text }))),
  function_call: nullish(z.union([text, z.looseObject({ name: text })], 'expected a string or an object with a name')),
  response_format: nullish(z.looseObject({ type: text })),
  logit_bias: nullish(z.looseObject({})),
  metadata: nullish(z.looseObject({})),
  stream_options: nullish(z.looseObject({})),
  modalities: nullish(listOf(text)),
})

export type ChatRequest = z.infer<typeof ChatRequestSchema>
export type ChatMessage = ChatRequest['messages'][number]
export type ContentPart = z.infer<typeof part>

/** A JSON object's own fields, whatever they are. */
export type JsonObject = Record<string, unknown>

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Checks the shape and returns the caller's own object, not a copy: key order and unknown fields stay as sent.
 * Throws `not_implemented` for streaming before it looks at anything else, as the contract's order demands.
 */
export function parseChatRequest(value: unknown): ChatRequest {
  if (!isJsonObject(value)) throw new GatewayError('invalid_request', 'The body must be a JSON object.')
  if (value['stream'] === true) throw new GatewayError('not_implemented')
  if (isPlainChat(value)) return value as ChatRequest
  const parsed = ChatRequestSchema.safeParse(value)
  if (!parsed.success) throw new GatewayError('invalid_request', problemText(parsed.error))
  return value as ChatRequest
}

/** Deeper than any schema people write, far from where recursion would overflow the stack. */
const MAX_DEPTH = 200

/**
 * JSON that parses but cannot be sent on faithfully: numbers too large for a double (they would become null) and
 * nesting deep enough to overflow a recursive reader further down.
 */
export function checkFaithful(value: unknown, depth = 0): void {
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new GatewayError('invalid_request', 'The body holds a number out of range.')
    return
  }
  if (typeof value !== 'object' || value === null) return
  if (depth > MAX_DEPTH) {
    throw new GatewayError('invalid_request', `The body is nested deeper than ${MAX_DEPTH} levels.`)
  }
  if (Array.isArray(value)) for (const item of value) checkFaithful(item, depth + 1)
  else for (const key in value) checkFaithful((value as JsonObject)[key], depth + 1)
}

/** What the gateway answers; keys beyond the contract appear only when they carry something. */
export interface ChatCompletion extends JsonObject {
  id: string
  object: 'chat.completion'
  created: number
  model: string
  choices: unknown[]
  usage: JsonObject
}
