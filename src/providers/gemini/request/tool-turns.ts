import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import { mistake, quoted, refuse, requiredText } from '../../../domain/request/rejection.ts'
import { worded } from '../../../domain/wording/worded.ts'
import { toolInput } from '../../tool-input.ts'
import { needsSignatures, takesCallIds } from '../models.ts'
import { NO_SIGNATURE, signatureIn } from '../signatures.ts'
import type { Draft } from './draft.ts'
import { type Part, partsOf } from './parts.ts'

/** A call in a turn of the model and, once found, its result. */
export interface ToolCall {
  /** As the caller wrote it; a legacy function call uses its name. */
  id: string
  isLegacy: boolean
  name: string
  path: string
  part: Part
  /** The result first, then what came with it. */
  result: Part[] | null
}

/** The calls of an assistant message, `tool_calls` first, then a legacy `function_call`. */
export function toolCallsOf(message: JsonObject, path: string, draft: Draft): ToolCall[] {
  const listed = message['tool_calls'] ?? []
  if (!Array.isArray(listed)) return mistake(worded`${path}.tool_calls: expected an array`)
  const calls = listed.map((call, at) => toolCall(call, `${path}.tool_calls[${at}]`, draft))
  const legacy = message['function_call'] ?? null
  if (legacy !== null) calls.push(legacyCall(legacy, `${path}.function_call`))
  const [first] = calls
  // Only the first call of a step needs one.
  if (first !== undefined && needsSignatures(draft.target.model)) first.part['thoughtSignature'] ??= NO_SIGNATURE
  return calls
}

function toolCall(call: unknown, path: string, { door, target }: Draft): ToolCall {
  if (!isJsonObject(call)) return mistake(worded`${path}: expected an object`)
  const type = call['type'] ?? 'function'
  if (type !== 'function') return refuse(worded`${path}.type: ${quoted(type)} calls are not supported by this provider`)
  const id = requiredText(call['id'] ?? '', `${path}.id`)
  const { name, args } = called(call['function'], `${path}.function`)
  const part: Part = { functionCall: { ...sentId(id, target.model), name, args } }
  const signature = signatureIn(call['extra_content'], door, target.model)
  if (signature !== null) part['thoughtSignature'] = signature
  return { id, isLegacy: false, name, path, part, result: null }
}

function sentId(id: string, model: string): { id?: string } {
  return id !== '' && takesCallIds(model) ? { id } : {}
}

function legacyCall(call: unknown, path: string): ToolCall {
  const { name, args } = called(call, path)
  return { id: name, isLegacy: true, name, path, part: { functionCall: { name, args } }, result: null }
}

function called(value: unknown, path: string): { name: string; args: JsonObject } {
  if (!isJsonObject(value)) return mistake(worded`${path}: expected an object with a name`)
  return { name: requiredText(value['name'], `${path}.name`), args: toolInput(value['arguments']) }
}

/** Gives a `tool` or `function` message to the call that it answers. */
export function addResult(calls: readonly ToolCall[], message: JsonObject, path: string, draft: Draft): void {
  const isLegacy = message['role'] === 'function'
  const field = isLegacy ? 'name' : 'tool_call_id'
  const id = requiredText(message[field], `${path}.${field}`)
  const call = calls.find((each) => each.isLegacy === isLegacy && each.id === id && each.result === null)
  if (call === undefined) mistake(worded`${path}.${field}: no open call before this message has it: ${quoted(id)}`)
  const parts = partsOf(message['content'], `${path}.content`, draft)
  const text = parts.map((part) => part['text'] ?? '').join('')
  const response = message['is_error'] === true ? { error: text } : responseOf(text)
  const named = isLegacy ? {} : sentId(id, draft.target.model)
  const result: Part = { functionResponse: { ...named, name: call.name, response } }
  call.result = [result, ...parts.filter((part) => part['text'] === undefined)]
}

/** Numbers that a double cannot hold would come back changed. */
const LONG_NUMBER = /\d{16}/

/** The API takes objects: a text that is one goes as such, any other is wrapped. */
function responseOf(text: string): JsonObject {
  if (!text.trimStart().startsWith('{') || LONG_NUMBER.test(text)) return { result: text }
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : { result: text }
  } catch {
    return { result: text }
  }
}

/** The results in the order of the calls. The API refuses a turn in which one is missing. */
export function resultsOf(calls: readonly ToolCall[]): Part[] {
  const found = calls.map(
    ({ result, path, id }) => result ?? mistake(worded`${path}: no later message answers the tool call ${quoted(id)}`),
  )
  return [...found.map(([first]) => first), ...found.flatMap(([, ...others]) => others)].filter(
    (part) => part !== undefined,
  )
}
