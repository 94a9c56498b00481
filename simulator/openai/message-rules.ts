import { isObject, type JsonObject, objectOrEmpty, objectsIn } from '../json.ts'
import type { OpenaiError } from './errors.ts'
import { emptyArray, missing, wrongType } from './field-rules.ts'

/** The part types each role may use. */
const PARTS: Record<string, readonly string[]> = {
  system: ['text'],
  developer: ['text'],
  user: ['text', 'image_url', 'input_audio', 'file'],
  assistant: ['text', 'refusal'],
  tool: ['text'],
  function: ['text'],
}

export function problemWithMessages(messages: readonly unknown[]): OpenaiError | null {
  for (const [index, message] of messages.entries()) {
    const path = `messages[${index}]`
    if (!isObject(message)) return wrongType(path, 'an object', message)
    const problem =
      problemWithRole(message, path) ?? problemWithContent(message, path) ?? problemWithCalls(message, path)
    if (problem) return problem
  }
  return problemWithPairing(messages.filter(isObject))
}

function problemWithRole(message: JsonObject, path: string): OpenaiError | null {
  const role = message['role']
  if (role === undefined) return missing(`${path}.role`)
  if (typeof role !== 'string') return wrongType(`${path}.role`, 'a string', role)
  if (!Object.hasOwn(PARTS, role)) {
    const message = `Invalid value: '${role}'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.`
    return { message, param: `${path}.role`, code: 'invalid_value' }
  }
  if (role === 'tool' && typeof message['tool_call_id'] !== 'string') return missing(`${path}.tool_call_id`)
  if (role === 'function' && typeof message['name'] !== 'string') return missing(`${path}.name`)
  return null
}

function problemWithContent(message: JsonObject, path: string): OpenaiError | null {
  const { role, content } = message as { role: string; content?: unknown }
  if (content === undefined || content === null) {
    const mayLack =
      role === 'assistant' && ['tool_calls', 'function_call', 'refusal', 'audio'].some((key) => message[key])
    if (mayLack || role === 'function') return null
    return content === undefined
      ? missing(`${path}.content`)
      : { message: "Invalid value for 'content': expected a string, got null.", param: `${path}.content` }
  }
  if (typeof content === 'string') return null
  if (!Array.isArray(content)) return wrongType(`${path}.content`, 'one of a string or array of objects', content)
  if (content.length === 0 && role !== 'assistant') return emptyArray(`${path}.content`)
  for (const [index, part] of content.entries()) {
    const problem = problemWithPart(part, role, `${path}.content[${index}]`)
    if (problem) return problem
  }
  return null
}

function problemWithPart(part: unknown, role: string, path: string): OpenaiError | null {
  if (!isObject(part)) return wrongType(path, 'an object', part)
  const { type } = part as { type?: unknown }
  if (type === undefined) return missing(`${path}.type`)
  const known = PARTS[role] ?? []
  if (!known.includes(String(type))) {
    const values = known.map((name) => `'${name}'`).join(', ')
    const message = `Invalid value: '${type}'. Supported values are: ${values}.`
    return { message, param: `${path}.type`, code: 'invalid_value' }
  }
  const field = String(type)
  const value = part[field]
  if (value === undefined) return missing(`${path}.${field}`)
  const isText = field === 'text' || field === 'refusal'
  if (isText) return typeof value === 'string' ? null : wrongType(`${path}.${field}`, 'a string', value)
  if (!isObject(value)) return wrongType(`${path}.${field}`, 'an object', value)
  return field === 'image_url' ? problemWithImage(value['url'], `${path}.image_url.url`) : null
}

function problemWithImage(url: unknown, path: string): OpenaiError | null {
  if (url === undefined) return missing(path)
  if (typeof url !== 'string') return wrongType(path, 'a string', url)
  if (/^https?:\/\//i.test(url) || /^data:image\/[a-z+.-]+;base64,/i.test(url)) return null
  return {
    message: `Invalid '${path}'. Expected a valid URL, but got a value with an invalid format.`,
    param: path,
    code: 'invalid_value',
  }
}

function problemWithCalls(message: JsonObject, path: string): OpenaiError | null {
  const calls = message['tool_calls']
  if (calls === undefined || calls === null) return null
  if (!Array.isArray(calls)) return wrongType(`${path}.tool_calls`, 'an array of objects', calls)
  if (calls.length === 0) return emptyArray(`${path}.tool_calls`)
  for (const [index, call] of calls.entries()) {
    const callPath = `${path}.tool_calls[${index}]`
    if (!isObject(call)) return wrongType(callPath, 'an object', call)
    if (typeof call['id'] !== 'string') return missing(`${callPath}.id`)
    if (call['type'] === undefined) return missing(`${callPath}.type`)
    if (call['type'] !== 'function') continue
    const called = objectOrEmpty(call['function'])
    if (typeof called['name'] !== 'string') return missing(`${callPath}.function.name`)
    if (called['arguments'] === undefined) return missing(`${callPath}.function.arguments`)
    if (typeof called['arguments'] !== 'string') {
      return wrongType(`${callPath}.function.arguments`, 'a string', called['arguments'])
    }
  }
  return null
}

/** Every call is answered by the tool messages right after it, and every tool message answers a call. */
function problemWithPairing(messages: readonly JsonObject[]): OpenaiError | null {
  let open = new Set<string>()
  let asked = false
  for (const [index, message] of messages.entries()) {
    if (message['role'] === 'tool') {
      if (!asked || !open.has(String(message['tool_call_id']))) return strayResult(index)
      open.delete(String(message['tool_call_id']))
      continue
    }
    if (open.size > 0) return unanswered(index, open)
    const calls = objectsIn(message['tool_calls'])
    open = new Set(calls.map((call) => String(call['id'])))
    asked = calls.length > 0
  }
  return open.size > 0 ? unanswered(messages.length, open) : null
}

function strayResult(index: number): OpenaiError {
  return {
    // The vendor's own spelling.
    message:
      "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    param: `messages.[${index}].role`,
  }
}

function unanswered(index: number, ids: ReadonlySet<string>): OpenaiError {
  return {
    message: `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...ids].join(', ')}`,
    param: `messages.[${index}].role`,
  }
}
