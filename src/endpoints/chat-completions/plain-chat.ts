import type { JsonObject } from '../../domain/chat.ts'

/**
 * Says yes to requests as nearly everyone sends them, so that only the others are put to the schema (chat.ts), which
 * knows what is wrong and how to say it. The schema takes 5 µs for a conversation of six messages and half of one for
 * each more, this check 0.2 µs. A no means nothing; that a yes is one of the schema's too is tested.
 */
export function isPlainChat(request: JsonObject): boolean {
  const { model, messages } = request
  if (typeof model !== 'string' || model === '' || !Array.isArray(messages) || messages.length === 0) return false
  for (const name in request) {
    const value = request[name]
    const isRight = FIELDS.get(name)
    if (isRight !== undefined && value !== null && value !== undefined && !isRight(value)) return false
  }
  return messages.every(isPlainMessage)
}

type Check = (value: unknown) => boolean

const isText: Check = (value) => typeof value === 'string'
const isNumber: Check = (value) => typeof value === 'number' && Number.isFinite(value)
const isBoolean: Check = (value) => typeof value === 'boolean'
const isObject: Check = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)
const isTextOrTexts: Check = (value) => isText(value) || (Array.isArray(value) && value.every(isText))
const isTyped: Check = (value) => hasText(value, 'type')
const isAbsent = (value: unknown) => value === null || value === undefined

const FIELDS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['temperature', isNumber],
  ['top_p', isNumber],
  ['max_tokens', isNumber],
  ['max_completion_tokens', isNumber],
  ['n', isNumber],
  ['seed', isNumber],
  ['frequency_penalty', isNumber],
  ['presence_penalty', isNumber],
  ['top_logprobs', isNumber],
  ['stop', isTextOrTexts],
  ['stream', isBoolean],
  ['logprobs', isBoolean],
  ['store', isBoolean],
  ['parallel_tool_calls', isBoolean],
  ['user', isText],
  ['safety_identifier', isText],
  ['reasoning_effort', isText],
  ['service_tier', isText],
  ['tools', (value) => Array.isArray(value) && value.every(isTyped)],
  ['tool_choice', (value) => isText(value) || isTyped(value)],
  ['functions', (value) => Array.isArray(value) && value.every((item) => hasText(item, 'name'))],
  ['function_call', (value) => isText(value) || hasText(value, 'name')],
  ['response_format', isTyped],
  ['logit_bias', isObject],
  ['metadata', isObject],
  ['stream_options', isObject],
  ['modalities', (value) => Array.isArray(value) && value.every(isText)],
])

function hasText(value: unknown, name: string): boolean {
  return isObject(value) && isText((value as JsonObject)[name])
}

function isPlainMessage(value: unknown): boolean {
  if (!isObject(value)) return false
  const { role, content, name, refusal, tool_call_id: toolCallId, tool_calls: toolCalls } = value as JsonObject
  const isHeld = isText(content) || (Array.isArray(content) && content.every(isTyped))
  const isAnswer = role === 'assistant' || role === 'tool' || role === 'function'
  if (!isAnswer && role !== 'user' && role !== 'system' && role !== 'developer') return false
  if (!isHeld && !(isAnswer && isAbsent(content))) return false
  if (!isAbsent(name) && !isText(name)) return false
  if (!isAbsent(refusal) && !isText(refusal)) return false
  if (!isText(toolCallId) && (role === 'tool' || !isAbsent(toolCallId))) return false
  return isAbsent(toolCalls) || (Array.isArray(toolCalls) && toolCalls.every(isPlainToolCall))
}

function isPlainToolCall(value: unknown): boolean {
  if (!isObject(value)) return false
  const { id, type, function: called } = value as JsonObject
  return isText(id) && isText(type) && hasText(called, 'name') && isText((called as JsonObject)['arguments'])
}
