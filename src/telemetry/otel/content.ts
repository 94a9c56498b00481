import {
  ATTR_GEN_AI_INPUT_MESSAGES,
  ATTR_GEN_AI_OUTPUT_MESSAGES,
  ATTR_GEN_AI_SYSTEM_INSTRUCTIONS,
} from '@opentelemetry/semantic-conventions/incubating'
import { TRACED_TEXT, type TracedContent } from '../tracing.ts'

/** Of one attribute. */
const MOST_CHARACTERS = 16_384

type Json = Readonly<Record<string, unknown>>

interface Message {
  role: string
  parts: object[]
  finish_reason?: string
}

/**
 * What was asked and answered, as the GenAI conventions have it: JSON text. It is read by its shape, for the formats of
 * the endpoints have most of it in common. Of a conversation the newest messages stay, of a text its beginning.
 * `reason`: why the answer ended, where it does not say so itself: receivers drop messages without one.
 */
export function contentAttributes({ request, answer }: TracedContent, reason = 'stop'): Record<string, string> {
  const said = objectOf(request)
  const body = objectOf(answer)
  const guidance = said['systemInstruction'] ?? said['system_instruction']
  const system = partsOf(said['system'] ?? said['instructions'] ?? objectOf(guidance)['parts'] ?? guidance)
  const asked = messagesOf(said['messages'] ?? said['input'] ?? said['contents'] ?? said['prompt'], 'user')
  const answered = answersOf(body).map((message) => ({ finish_reason: reason, ...message }))
  return {
    ...(system.length > 0 && { [ATTR_GEN_AI_SYSTEM_INSTRUCTIONS]: listOf(fitting(system)) }),
    ...(asked.length > 0 && { [ATTR_GEN_AI_INPUT_MESSAGES]: newest(asked) }),
    ...(answered.length > 0 && { [ATTR_GEN_AI_OUTPUT_MESSAGES]: newest(answered) }),
  }
}

function answersOf(answer: Json): Message[] {
  const { choices, candidates, output, content } = answer
  const answers = choices ?? candidates
  if (Array.isArray(answers)) {
    return answers.map((each) => {
      const { message, content: said, text: plainText, finish_reason: reason, finishReason = reason } = objectOf(each)
      return {
        ...messageOf(objectOf(message ?? said ?? { content: plainText }), 'assistant'),
        ...finishedBy(finishReason),
      }
    })
  }
  if (Array.isArray(output)) return messagesOf(output, 'assistant')
  const parts = partsOf(content)
  return parts.length === 0 ? [] : [{ role: 'assistant', parts, ...finishedBy(answer['stop_reason']) }]
}

function finishedBy(reason: unknown): { finish_reason?: string } {
  return typeof reason === 'string' ? { finish_reason: reason } : {}
}

function messagesOf(list: unknown, role: string): Message[] {
  if (typeof list === 'string') return [{ role, parts: [text(list)] }]
  if (!Array.isArray(list)) return []
  return list.map((item) => messageOf(typeof item === 'string' ? { content: item } : objectOf(item), role))
}

/** Roles of items that have none of their own, and those with another name. */
const ROLES: Readonly<Record<string, string>> = {
  reasoning: 'assistant',
  function_call: 'assistant',
  custom_tool_call: 'assistant',
  function_call_output: 'tool',
  custom_tool_call_output: 'tool',
  model: 'assistant',
  function: 'tool',
}

function messageOf(item: Json, role: string): Message {
  const { tool_calls: calls, content, parts, type, tool_call_id: answers } = item
  const called = Array.isArray(calls) ? calls.map((call) => toolCall(objectOf(call))) : []
  const isOwn = type === 'reasoning' || (content === undefined && calls === undefined && parts === undefined)
  const said = isOwn
    ? [partOf(item)]
    : answers === undefined
      ? partsOf(content ?? parts)
      : [toolResponse(answers, content)]
  const by = item['role'] ?? type
  const known = ROLES[String(by)] ?? item['role']
  return {
    role: typeof known === 'string' ? known : role,
    parts: [...thoughtsOf(item), ...said, ...refusalOf(item), ...called],
  }
}

/** Of a chat completion: fields beside its content. */
function thoughtsOf({ reasoning_content: content, reasoning = content }: Json): object[] {
  return typeof reasoning === 'string' && reasoning !== '' ? [thought(reasoning)] : []
}

function refusalOf({ role, refusal }: Json): object[] {
  return role !== undefined && typeof refusal === 'string' ? [{ type: 'refusal', content: cut(refusal) }] : []
}

function partsOf(content: unknown): object[] {
  if (typeof content === 'string') return [text(content)]
  return Array.isArray(content)
    ? content.map((part) => (typeof part === 'string' ? text(part) : partOf(objectOf(part))))
    : []
}

/** For other parts, such as an image, only their type. */
function partOf(part: Json): object {
  const { type, functionCall = part['function_call'], functionResponse = part['function_response'] } = part
  if (typeof part['text'] === 'string') return part['thought'] === true ? thought(part['text']) : text(part['text'])
  if (typeof part['thinking'] === 'string') return thought(part['thinking'])
  if (typeof part['refusal'] === 'string') return { type: 'refusal', content: cut(part['refusal']) }
  if (functionCall !== undefined) return toolCall(objectOf(functionCall))
  if (functionResponse !== undefined) {
    const { id, name, response } = objectOf(functionResponse)
    return toolResponse(id ?? name, response)
  }
  switch (type) {
    case 'reasoning':
      return thought([...textsOf(part['summary']), ...textsOf(part['content'])].join('\n'))
    case 'tool_use':
    case 'function_call':
    case 'custom_tool_call':
      return toolCall(part)
    case 'tool_result':
      return toolResponse(part['tool_use_id'], part['content'])
    case 'function_call_output':
    case 'custom_tool_call_output':
      return toolResponse(part['call_id'], part['output'])
    default:
      return { type: cut(typeof type === 'string' ? type : (Object.keys(part)[0] ?? 'unknown')) }
  }
}

function textsOf(list: unknown): string[] {
  const texts = Array.isArray(list) ? list.map((part) => objectOf(part)['text']) : []
  return texts.filter((each) => typeof each === 'string')
}

function thought(content: string): object {
  return { type: 'reasoning', content: cut(content) }
}

function toolCall(call: Json): object {
  const { name, arguments: given, input, args } = { ...call, ...objectOf(call['function']) } as Json
  return {
    type: 'tool_call',
    id: plain(call['call_id'] ?? call['id']),
    name: plain(name),
    arguments: plain(given ?? input ?? args),
  }
}

function toolResponse(id: unknown, response: unknown): object {
  return { type: 'tool_call_response', id: plain(id), response: plain(response) }
}

function text(content: string): object {
  return { type: 'text', content: cut(content) }
}

function plain(value: unknown): string | null {
  if (value === undefined || value === null) return null
  return cut(typeof value === 'string' ? value : JSON.stringify(value))
}

function cut(words: string): string {
  return words.length > TRACED_TEXT ? `${words.slice(0, TRACED_TEXT)}…` : words
}

function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {}
}

function newest(messages: readonly Message[]): string {
  const written = messages.map(({ parts, ...message }) => {
    const head = JSON.stringify(message).slice(0, -1)
    return `${head},"parts":${listOf(fitting(parts))}}`
  })
  return listOf(whileFitting(written.toReversed()).toReversed())
}

function fitting(parts: readonly object[]): string[] {
  return whileFitting(parts.map((part) => JSON.stringify(part)))
}

/** As many as there is room for, one at least. */
function whileFitting(texts: readonly string[]): string[] {
  let length = 0
  return texts.filter((each, at) => {
    length += each.length + 1
    return at === 0 || length <= MOST_CHARACTERS
  })
}

function listOf(texts: readonly string[]): string {
  return `[${texts.join(',')}]`
}
