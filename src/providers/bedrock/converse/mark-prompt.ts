import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'

/** Models that keep what is marked in the system prompt and in turns; others refuse a marker. */
const KEEPS = /(?:^|[./])amazon\.nova-/
const POINT = { cachePoint: { type: 'default' } }

/** After the system prompt and after the last turn of the user, where the request marks nothing itself. */
export function markPrompt(body: JsonObject, model: string): { body: JsonObject; field: string } | null {
  const { system, messages } = body
  if (!KEEPS.test(model) || !Array.isArray(messages) || isMarked(system) || messages.some(isMarkedTurn)) return null
  const at = messages.findLastIndex((turn) => isJsonObject(turn) && turn['role'] === 'user')
  const turn = messages[at]
  if (!isJsonObject(turn) || !Array.isArray(turn['content'])) return null
  const marked: JsonObject = { ...body, messages: messages.with(at, { ...turn, content: [...turn['content'], POINT] }) }
  if (Array.isArray(system) && system.length > 0) marked['system'] = [...system, POINT]
  return { body: marked, field: 'cachePoint' }
}

function isMarkedTurn(turn: unknown): boolean {
  return isJsonObject(turn) && isMarked(turn['content'])
}

function isMarked(blocks: unknown): boolean {
  return Array.isArray(blocks) && blocks.some((block) => isJsonObject(block) && block['cachePoint'] !== undefined)
}
