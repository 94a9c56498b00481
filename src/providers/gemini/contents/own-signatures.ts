import type { JsonObject } from '../../../domain/request/call-request.ts'
import { type Content, OWN_SIGNATURE, partsOf } from '../../../domain/request/contents.ts'
import { NO_SIGNATURE } from '../signatures.ts'

/**
 * Without the signatures that the gateway made where another model answered: the API accepts only its own, and asks for
 * one at a call. Usually there are none, and the contents stay the same object.
 */
export function withoutOwn(contents: Content[]): Content[] {
  let hasOwn = false
  for (const part of partsOf(contents)) if (isOwn(part)) hasOwn = true
  if (!hasOwn) return contents
  return contents.map((content) => ({ ...content, parts: (content.parts ?? []).map(unsigned) }))
}

function isOwn(part: JsonObject): boolean {
  const signature = part['thoughtSignature'] ?? part['thought_signature']
  return typeof signature === 'string' && signature.startsWith(OWN_SIGNATURE)
}

function unsigned(part: JsonObject): JsonObject {
  if (!isOwn(part)) return part
  const { thoughtSignature: _camel, thought_signature: _other, ...rest } = part
  const isCall = (rest['functionCall'] ?? rest['function_call'] ?? null) !== null
  return isCall ? { ...rest, thoughtSignature: NO_SIGNATURE } : rest
}
