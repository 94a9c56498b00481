import type { ChatMessage, ChatRequest, JsonObject } from '../../domain/chat.ts'
import { isJsonObject } from '../../domain/chat.ts'
import { renamed, renaming } from '../../domain/rename.ts'
import type { Target, Translation } from '../family.ts'
import { pinned } from '../pin.ts'

/** Extensions of ours that this family would refuse as unknown (translation.md 1.3). */
const EXTENSIONS = ['cache_control', 'is_error']

/**
 * Near verbatim: the upstream model id, no `stream` (it is false here anyway), no extensions of ours. A fresh object
 * for every attempt; the caller's is never touched.
 */
export function toWire(request: ChatRequest, target: Target): Translation {
  const fields: JsonObject = { ...request, model: target.model }
  delete fields['stream']
  if (request.messages.some(hasExtension)) fields['messages'] = request.messages.map(withoutExtensions)
  const pins = pinned(fields, target.pins ?? [])
  const { body, applied } = renamed(fields, target.renames)
  return { kind: 'wire', body, ignored: [], adjustments: [...pins, ...applied.map(renaming)] }
}

function hasExtension(message: ChatMessage): boolean {
  if (isExtended(message)) return true
  return Array.isArray(message.content) && message.content.some(isExtended)
}

function isExtended(object: JsonObject): boolean {
  return EXTENSIONS.some((name) => Object.hasOwn(object, name))
}

function withoutExtensions(message: ChatMessage): JsonObject {
  const copy = strip(message)
  if (Array.isArray(message.content)) {
    copy['content'] = message.content.map((part) => (isJsonObject(part) ? strip(part) : part))
  }
  return copy
}

function strip(object: JsonObject): JsonObject {
  const copy = { ...object }
  for (const name of EXTENSIONS) delete copy[name]
  return copy
}
