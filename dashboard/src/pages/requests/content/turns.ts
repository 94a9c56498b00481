/** One who speaks, in the order of the conversation. */
export interface Turn {
  who: string
  text: string
}

type Json = Record<string, unknown>

/** A request or an answer of any endpoint as a conversation; empty where its form is not known. */
export function turnsOf(body: unknown): Turn[] {
  if (!isObject(body)) return []
  const { system, instructions, messages, input, choices, content, output, role } = body
  return [
    ...turn('system', system ?? instructions),
    ...listOf(messages).flatMap(turnOf),
    ...(typeof input === 'string' ? turn('user', input) : listOf(input).flatMap(turnOf)),
    ...listOf(choices).flatMap((choice) => (isObject(choice) ? turnOf(choice['message']) : [])),
    ...listOf(output).flatMap(turnOf),
    ...(content === undefined ? [] : turn(wordOf(role) ?? 'assistant', content)),
  ]
}

function turnOf(message: unknown): Turn[] {
  if (typeof message === 'string') return turn('user', message)
  if (!isObject(message)) return []
  const { role, content, refusal, reasoning_content: reasoning, tool_calls: calls, function_call: call } = message
  const who = wordOf(role)
  if (who === null) return turn('assistant', [message])
  const parts = [reasoning, ...(Array.isArray(content) ? content : [content]), refusal, ...listOf(calls), call]
  return turn(who, parts)
}

function turn(who: string, content: unknown): Turn[] {
  const parts = Array.isArray(content) ? content : [content]
  const text = parts.map(textOf).filter(Boolean).join('\n\n')
  return text === '' ? [] : [{ who, text }]
}

/** A part of a message: what it says, or what it is. */
function textOf(part: unknown): string {
  if (typeof part === 'string') return part
  if (!isObject(part)) return ''
  const { type, text, thinking, content, output, name, input, arguments: given, function: called } = part
  if (isObject(called)) return `→ ${called['name']}(${written(called['arguments'])})`
  if (typeof name === 'string') return `→ ${name}(${written(input ?? given)})`
  const said = [text, thinking, output].find((each) => typeof each === 'string')
  if (typeof said === 'string') return said
  const inner = content ?? part['summary']
  if (inner !== undefined) return (Array.isArray(inner) ? inner : [inner]).map(textOf).filter(Boolean).join('\n\n')
  return typeof type === 'string' ? `(${type.replaceAll('_', ' ')})` : ''
}

function written(value: unknown): string {
  return typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function wordOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
