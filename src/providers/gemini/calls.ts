import { createHash } from 'node:crypto'
import type { JsonObject } from '../../domain/request/call-request.ts'
import type { Door } from './door.ts'
import { signed } from './signatures.ts'
import type { WireCandidate, WireResponse } from './wire.ts'

type WirePart = NonNullable<NonNullable<WireCandidate['content']>['parts']>[number]

/** A call of a tool as chat completions has it. */
export interface Call {
  id: string
  type: 'function'
  function: { name: string; arguments: string }
  extra_content?: JsonObject
}

/**
 * Null: the part is no call that anyone could answer. `position`: what tells the calls of a response apart, for those
 * that come without an id.
 */
export function callOf(part: WirePart, position: string, response: WireResponse, door: Door): Call | null {
  const { functionCall, thoughtSignature } = part
  if (!functionCall?.name) return null
  const written = JSON.stringify(functionCall.args ?? {})
  const id = functionCall.id || madeId([response.responseId ?? written, position, functionCall.name])
  const call: Call = { id, type: 'function', function: { name: functionCall.name, arguments: written } }
  if (thoughtSignature) call.extra_content = signed(thoughtSignature, door, response.modelVersion)
  return call
}

/** The same for the same response: nothing here is random. */
function madeId(words: readonly string[]): string {
  return `call_${createHash('sha256').update(words.join(' ')).digest('hex').slice(0, 24)}`
}
