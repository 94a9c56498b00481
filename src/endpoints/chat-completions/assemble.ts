import { isJsonObject, type JsonObject } from '../../domain/request/call-request.ts'
import type { Assembly } from '../assembly.ts'
import { joinText, objectsIn } from '../join-deltas.ts'

interface Choice {
  fields: JsonObject
  message: JsonObject
  /** By their index. */
  calls: Map<unknown, JsonObject>
}

/** The completion that the chunks of a stream add up to. */
export function assembleChat(mostText?: number): Assembly {
  const choices = new Map<unknown, Choice>()
  const answer: JsonObject = {}
  return {
    add({ choices: parts, ...fields }) {
      for (const [name, value] of Object.entries(fields)) if (value !== null) answer[name] = value
      for (const { index, delta, finish_reason: reason } of objectsIn(parts)) {
        const choice = choices.get(index) ?? { fields: { index, finish_reason: null }, message: {}, calls: new Map() }
        choices.set(index, choice)
        if (isJsonObject(delta)) addDelta(choice, delta, mostText)
        if (reason !== null && reason !== undefined) choice.fields['finish_reason'] = reason
      }
    },
    answer() {
      const isChunk = answer['object'] === 'chat.completion.chunk'
      return { ...answer, ...(isChunk && { object: 'chat.completion' }), choices: [...choices.values()].map(whole) }
    },
  }
}

function whole({ fields: { index, ...rest }, message, calls }: Choice): JsonObject {
  return { index, message: calls.size === 0 ? message : { ...message, tool_calls: [...calls.values()] }, ...rest }
}

function addDelta(
  { message, calls }: Choice,
  { role, tool_calls: called, function_call: call, ...fields }: JsonObject,
  most: number | undefined,
): void {
  if (role != null) message['role'] = role
  for (const [name, value] of Object.entries(fields)) message[name] = joinText(message[name], value, most)
  if (isJsonObject(call)) message['function_call'] = withInput(message['function_call'], call, most)
  for (const { index, function: part, ...rest } of objectsIn(called)) {
    const known = calls.get(index) ?? {}
    const input = isJsonObject(part) ? { function: withInput(known['function'], part, most) } : {}
    calls.set(index, { ...known, ...rest, ...input })
  }
}

function withInput(known: unknown, { arguments: text, ...part }: JsonObject, most: number | undefined): JsonObject {
  const before = isJsonObject(known) ? known : {}
  return { ...before, ...part, arguments: joinText(before['arguments'], text, most) }
}
