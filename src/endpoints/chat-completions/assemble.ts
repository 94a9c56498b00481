import { isJsonObject, type JsonObject } from '../../domain/request/call-request.ts'
import { joinText, objectsIn } from '../join-deltas.ts'

/** The completion that the chunks of a stream add up to. */
export function assembleChat(chunks: readonly JsonObject[]): JsonObject {
  const choices = new Map<unknown, JsonObject & { message: JsonObject }>()
  const answer: JsonObject = {}
  for (const { choices: parts, ...fields } of chunks) {
    for (const [name, value] of Object.entries(fields)) if (value !== null) answer[name] = value
    for (const { index, delta, finish_reason: reason } of objectsIn(parts)) {
      const choice = choices.get(index) ?? { index, message: {}, finish_reason: null }
      choices.set(index, choice)
      if (isJsonObject(delta)) addDelta(choice.message, delta)
      if (reason !== null && reason !== undefined) choice['finish_reason'] = reason
    }
  }
  if (answer['object'] === 'chat.completion.chunk') answer['object'] = 'chat.completion'
  return { ...answer, choices: [...choices.values()] }
}

function addDelta(message: JsonObject, { tool_calls: calls, function_call: call, ...fields }: JsonObject): void {
  for (const [name, value] of Object.entries(fields)) message[name] = joinText(message[name], value, name === 'role')
  if (isJsonObject(call)) message['function_call'] = withInput(message['function_call'], call)
  for (const { index, function: part, ...rest } of objectsIn(calls)) {
    const all = objectsIn(message['tool_calls'])
    const known = all[Number(index)] ?? {}
    const called = isJsonObject(part) ? { function: withInput(known['function'], part) } : {}
    all[Number(index)] = { ...known, ...rest, ...called }
    message['tool_calls'] = all
  }
}

function withInput(known: unknown, { arguments: text, ...part }: JsonObject): JsonObject {
  const before = isJsonObject(known) ? known : {}
  return { ...before, ...part, arguments: joinText(before['arguments'], text) }
}
