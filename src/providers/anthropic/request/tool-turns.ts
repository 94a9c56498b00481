import { createHash } from 'node:crypto'
import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import { mistake, refuse, requiredText } from '../../../domain/request/rejection.ts'
import { worded } from '../../../domain/wording/worded.ts'
import { toolInput } from '../../tool-input.ts'
import { cacheMarker } from './cache-control.ts'
import { type Block, contentBlocks, quoted, withoutBlanks } from './content-parts.ts'
import type { Notes } from './notes.ts'

/** A call in an assistant turn and, once found, its result. */
export interface ToolCall {
  /** As the caller wrote it; a legacy function call uses its name. */
  callerId: string
  isLegacy: boolean
  path: string
  use: Block & { id: string; name: string }
  result: Block | null
}

/** The calls of an assistant message, `tool_calls` first, then a legacy `function_call`. */
export function toolCallsOf(message: JsonObject, index: number, usedIds: Set<string>, notes: Notes): ToolCall[] {
  const path = `messages[${index}]`
  const toolCalls = message['tool_calls'] ?? []
  if (!Array.isArray(toolCalls)) return mistake(worded`${path}.tool_calls: expected an array`)
  const calls = toolCalls.map((call, position) => toolCall(call, `${path}.tool_calls[${position}]`, usedIds, notes))
  const legacy = message['function_call'] ?? null
  if (legacy !== null) calls.push(legacyCall(legacy, index))
  return calls
}

function toolCall(call: unknown, path: string, usedIds: Set<string>, notes: Notes): ToolCall {
  if (!isJsonObject(call)) return mistake(worded`${path}: expected an object`)
  const type = call['type'] ?? 'function'
  if (type !== 'function') return refuse(worded`${path}.type: ${quoted(type)} calls are not supported by this provider`)
  const callerId = call['id'] ?? ''
  if (typeof callerId !== 'string') return mistake(worded`${path}.id: expected a string`)
  const id = upstreamId(callerId, path, usedIds)
  usedIds.add(id)
  const use = toolUse(id, call['function'], `${path}.function`)
  const marker = cacheMarker(call, path, notes)
  if (marker !== undefined) use['cache_control'] = marker
  return { callerId, isLegacy: false, path, use, result: null }
}

function legacyCall(call: unknown, index: number): ToolCall {
  const path = `messages[${index}].function_call`
  const use = toolUse(`call_fn_${index}`, call, path)
  return { callerId: use.name, isLegacy: true, path, use, result: null }
}

function toolUse(id: string, called: unknown, path: string): ToolCall['use'] {
  if (!isJsonObject(called)) return mistake(worded`${path}: expected an object with a name`)
  const name = requiredText(called['name'], `${path}.name`)
  return { type: 'tool_use', id, name, input: toolInput(called['arguments']) }
}

/**
 * The API accepts only these characters and requires unique ids; some servers leave the id empty or restart the
 * numbering in every turn. An id made from the call's position stays the same when the conversation continues.
 */
function upstreamId(id: string, path: string, usedIds: ReadonlySet<string>): string {
  const fitting = /^[a-zA-Z0-9_-]+$/.test(id) ? id : hashedId(id)
  return id === '' || usedIds.has(fitting) ? hashedId(`${path} ${id}`) : fitting
}

function hashedId(text: string): string {
  return `call_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`
}

/** Assigns a `tool` or `function` message to the call that it answers. */
export function addToolResult(calls: readonly ToolCall[], message: JsonObject, index: number, notes: Notes): ToolCall {
  const call =
    message['role'] === 'function' ? answeredFunction(calls, message, index) : answeredTool(calls, message, index)
  const content = message['content']
  const result: Block = {
    type: 'tool_result',
    tool_use_id: call.use.id,
    content: Array.isArray(content)
      ? withoutBlanks(contentBlocks(content, `messages[${index}].content`, notes))
      : resultText(content, index),
  }
  if (message['is_error'] === true) result['is_error'] = true
  call.result = result
  return call
}

function resultText(content: unknown, index: number): string {
  return requiredText(content ?? '', `messages[${index}].content`)
}

function answeredTool(calls: readonly ToolCall[], message: JsonObject, index: number): ToolCall {
  const path = `messages[${index}].tool_call_id`
  const id = requiredText(message['tool_call_id'], path)
  const call = calls.find((candidate) => !candidate.isLegacy && candidate.callerId === id && candidate.result === null)
  return call ?? mistake(worded`${path}: no open tool call before this message has the id ${quoted(id)}`)
}

function answeredFunction(calls: readonly ToolCall[], message: JsonObject, index: number): ToolCall {
  const path = `messages[${index}].name`
  const name = requiredText(message['name'], path)
  const call = calls.find((candidate) => candidate.isLegacy && candidate.callerId === name && candidate.result === null)
  return call ?? mistake(worded`${path}: no open function call before this message has the name ${quoted(name)}`)
}

/** The results in the order of the calls; a call without one is the caller's mistake (both vendors reject it). */
export function orderedResults(calls: readonly ToolCall[]): Block[] {
  return calls.map(
    (call) =>
      call.result ?? mistake(worded`${call.path}: no later message answers the tool call ${quoted(call.callerId)}`),
  )
}
