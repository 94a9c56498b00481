import { isJsonObject } from '../../domain/chat.ts'
import type { WireMessage } from './wire.ts'

/**
 * Says yes to answers as the provider sends nearly all of them, so that only the others are put to the schema (wire.ts),
 * which takes 2 µs of the 85 that a call costs; this check a tenth of one. A no means nothing. Of a yes the fields that
 * the schema names are what it would make of them: that is tested.
 */
export function isPlainMessage(body: unknown): body is WireMessage {
  if (!isJsonObject(body)) return false
  const { content, stop_reason: stopReason, stop_details: stopDetails, usage } = body
  if (!Array.isArray(content) || !content.every(isPlainBlock)) return false
  return isTextOrAbsent(stopReason) && isAbsent(stopDetails) && (isAbsent(usage) || isPlainUsage(usage))
}

function isPlainBlock(block: unknown): boolean {
  if (!isJsonObject(block)) return false
  const { type, text, id, name } = block
  return typeof type === 'string' && isTextOrAbsent(text) && isTextOrAbsent(id) && isTextOrAbsent(name)
}

function isPlainUsage(usage: unknown): boolean {
  if (!isJsonObject(usage)) return false
  const { cache_creation: written, output_tokens_details: details } = usage
  return (isAbsent(written) || isJsonObject(written)) && (isAbsent(details) || isJsonObject(details))
}

function isTextOrAbsent(value: unknown): boolean {
  return typeof value === 'string' || isAbsent(value)
}

function isAbsent(value: unknown): boolean {
  return value === null || value === undefined
}
