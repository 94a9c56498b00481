import { isObject, type JsonObject } from '../../json.ts'
import type { OpenaiError } from '../errors.ts'

/** The kinds of calls and the items that answer them, in the vendor's words. */
const KINDS = [
  { call: 'function_call', output: 'function_call_output', words: 'function call' },
  { call: 'custom_tool_call', output: 'custom_tool_call_output', words: 'custom tool call' },
] as const

/** Every call has its output and every output its call, unless the calls are in a state that the vendor keeps. */
export function problemWithPairs(items: readonly unknown[], body: JsonObject): OpenaiError | null {
  const hasState = Boolean(body['previous_response_id'] ?? body['conversation'])
  const objects = items.filter(isObject)
  if (objects.some(({ type }) => type === 'item_reference')) return null
  for (const { call, output, words } of KINDS) {
    const asked = new Set<unknown>()
    const answered = new Set<unknown>()
    for (const { type, call_id } of objects) {
      if (type === call) asked.add(call_id)
      if (type !== output) continue
      if (!asked.has(call_id) && !hasState) {
        return { message: `No tool call found for ${words} output with call_id ${call_id}.`, param: 'input' }
      }
      answered.add(call_id)
    }
    const open = [...asked].find((id) => !answered.has(id))
    if (open !== undefined) return { message: `No tool output found for ${words} ${open}.`, param: 'input' }
  }
  return null
}
