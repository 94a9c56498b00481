import {
  ATTR_GEN_AI_INPUT_MESSAGES,
  ATTR_GEN_AI_OUTPUT_MESSAGES,
  ATTR_GEN_AI_SYSTEM_INSTRUCTIONS,
} from '@opentelemetry/semantic-conventions/incubating'
import type { TracedContent } from '../tracing.ts'

/** Of one text, and of one attribute: spans wait in memory, and receivers refuse large ones. */
const MOST_TEXT = 4_096
const MOST_CHARACTERS = 16_384

type Json = Readonly<Record<string, unknown>>

interface Message {
  role: string
  parts: object[]
  finish_reason?: string
}

/**
 * What was asked and answered, as the GenAI conventions have it: JSON text. It is read by its shape, for the formats of
 * the three endpoints have most of it in common. Of a conversation the newest messages stay, of a text its beginning.
 */
export function contentAttributes({ request, answer }: TracedContent): Record<string, string> {
  const said = objectOf(request)
  const body = objectOf(answer)
  const system = partsOf(said['system'] ?? said['instructions'])
  const asked = messagesOf(said['messages'] ?? said['input'], 'user')
  const answered = answersOf(body)
  return {
    ...(system.length > 0 && { [ATTR_GEN_AI_SYSTEM_INSTRUCTIONS]: listOf(fitting(system)) }),
    ...(asked.length > 0 && { [ATTR_GEN_AI_INPUT_MESSAGES]: newest(asked) }),
    ...(answered.length > 0 && { [ATTR_GEN_AI_OUTPUT_MESSAGES]: newest(answered) }),
  }
}

function answersOf(answer: Json): Message[] {
  const { choices, output, content } = answer
  if (Array.isArray(choices)) {
    return choices
      .map(objectOf)
      .flatMap(({ message, finish_reason }) =>
        messagesOf([message], 'assistant').map((each) => ({ ...each, ...finishedBy(finish_reason) })),
      )
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
  return Array.isArray(list) ? list.map((item) => messageOf(objectOf(item), role)) : []
}

/** Roles of items that have none of their own. */
const ROLES: Readonly<Record<string, string>> = { function_call: 'assistant', function_call_output: 'tool' }

function messageOf(item: Json, role: string): Message {
  const { tool_calls: calls, content, tool_call_id: answers } = item
  const called = Array.isArray(calls) ? calls.map((call) => toolCall(objectOf(call))) : []
  const said = answers === undefined ? partsOf(content) : [toolResponse(answers, content)]
  const own = content === undefined && calls === undefined ? [partOf(item)] : []
  const by = item['role'] ?? ROLES[String(item['type'])]
  return { role: typeof by === 'string' ? by : role, parts: [...said, ...called, ...own] }
}

function partsOf(content: unknown): object[] {
  if (typeof content === 'string') return [text(content)]
  return Array.isArray(content)
    ? content.map((part) => (typeof part === 'string' ? text(part) : partOf(objectOf(part))))
    : []
}

/** For other parts, such as an image, only their type. */
function partOf(part: Json): object {
  const { type } = part
  if (typeof part['text'] === 'string') return text(part['text'])
  if (typeof part['thinking'] === 'string') return { type: 'reasoning', content: cut(part['thinking']) }
  if (type === 'tool_use' || type === 'function_call') return toolCall(part)
  if (type === 'tool_result') return toolResponse(part['tool_use_id'], part['content'])
  if (type === 'function_call_output') return toolResponse(part['call_id'], part['output'])
  return { type: typeof type === 'string' ? cut(type) : 'unknown' }
}

function toolCall(call: Json): object {
  const { name, arguments: given, input } = { ...call, ...objectOf(call['function']) } as Json
  return {
    type: 'tool_call',
    id: plain(call['call_id'] ?? call['id']),
    name: plain(name),
    arguments: plain(given ?? input),
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
  return words.length > MOST_TEXT ? `${words.slice(0, MOST_TEXT)}…` : words
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
