import { createHash } from 'node:crypto'
import { isJsonObject, type JsonObject } from '../../domain/request/call-request.ts'
import type { Door } from './door.ts'
import { signed } from './signatures.ts'
import { textIn, type WireResponse } from './wire.ts'

/** A call of a tool as chat completions has it. */
export interface Call {
  id: string
  type: 'function'
  function: { name: string; arguments: string }
  extra_content?: JsonObject
}

/**
 * Null: the part is not a call that can be answered. `position`: distinguishes the calls of a response that have no id.
 */
export function callOf(part: JsonObject, position: string, response: WireResponse, door: Door): Call | null {
  const { functionCall: called } = part
  const name = isJsonObject(called) ? textIn(called, 'name') : null
  if (!isJsonObject(called) || name === null) return null
  const written = JSON.stringify(called['args'] ?? {})
  const id = textIn(called, 'id') ?? madeId([response.responseId ?? written, position, name])
  const call: Call = { id, type: 'function', function: { name, arguments: written } }
  const signature = textIn(part, 'thoughtSignature')
  if (signature !== null) call.extra_content = signed(signature, door, response.model)
  return call
}

/** The same for the same response: nothing here is random. */
function madeId(words: readonly string[]): string {
  return `call_${createHash('sha256').update(words.join(' ')).digest('hex').slice(0, 24)}`
}
