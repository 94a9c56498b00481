import type { ToolUse } from '../domain/loops/tool-marks.ts'
import { isJsonObject, type JsonObject } from '../domain/request/call-request.ts'

/** The tool calls of models in a conversation of each format, in its order. Results and texts are not looked at. */
export function chatToolUses({ messages }: JsonObject): ToolUse[] {
  return objectsIn(messages).flatMap(({ role, tool_calls: calls, function_call: old }) => {
    if (role !== 'assistant') return []
    const uses = objectsIn(calls).map(({ id, function: called, custom }) => {
      const { name, arguments: args, input } = objectOr(called ?? custom)
      return toolUse(id, name, args ?? input)
    })
    return isJsonObject(old) ? [...uses, toolUse(null, old['name'], old['arguments'])] : uses
  })
}

export function messagesToolUses({ messages }: JsonObject): ToolUse[] {
  return objectsIn(messages).flatMap(({ role, content }) =>
    role === 'assistant'
      ? objectsIn(content)
          .filter(({ type }) => type === 'tool_use')
          .map(({ id, name, input }) => toolUse(id, name, input))
      : [],
  )
}

/** Those that the caller runs: only they have a `call_id`. A shell has an action instead of arguments. */
export function responsesToolUses({ input }: JsonObject): ToolUse[] {
  return objectsIn(input)
    .filter(({ type, call_id: id }) => typeof type === 'string' && type.endsWith('_call') && typeof id === 'string')
    .map((item) => {
      const { type, call_id: id, name, arguments: args, input: text, action, operation } = item
      return toolUse(id, name ?? type, args ?? text ?? action ?? operation)
    })
}

export function contentsToolUses({ contents }: JsonObject): ToolUse[] {
  return objectsIn(contents).flatMap(({ role, parts }) =>
    role === 'model'
      ? objectsIn(parts)
          .map((part) => part['functionCall'] ?? part['function_call'])
          .filter(isJsonObject)
          .map(({ id, name, args }) => toolUse(id, name, args))
      : [],
  )
}

function toolUse(id: unknown, name: unknown, args: unknown): ToolUse {
  return { id: typeof id === 'string' && id !== '' ? id : null, name: typeof name === 'string' ? name : '', args }
}

function objectsIn(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : []
}

function objectOr(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {}
}
