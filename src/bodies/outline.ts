import { type ChatRequest, ChatRequestSchema, type JsonObject } from '../domain/chat.ts'
import { FAMILIES } from '../providers/families.ts'

const TYPE = ['type']
const REQUEST_FIELDS = Object.keys(ChatRequestSchema.shape)

/**
 * A request as the serving thread knows it: the fields that steps and families look at, but lists cut to one item,
 * objects to their type and texts to their beginning, so that it says what is there at next to no size.
 */
export function outlineOf(request: ChatRequest): ChatRequest {
  return { ...cut(request, REQUEST_FIELDS), model: request.model } as ChatRequest
}

/** Figures bound the answer (domain/hold.ts), and pins its price. */
const WIRE_FIELDS = [
  ...['max_tokens', 'max_completion_tokens', 'n'],
  ...[...FAMILIES.values()].flatMap(({ pins }) => pins.map(({ field }) => field)),
]

/** Of a request in a family's words only what it can cost matters here. */
export function wireOutlineOf(wire: JsonObject): JsonObject {
  return cut(wire, WIRE_FIELDS)
}

/** Longer texts are prompts; names and choices are shorter. */
const LONGEST_TEXT = 1_000

function cut(object: JsonObject, fields: readonly string[]): JsonObject {
  const outline: JsonObject = {}
  for (const name of fields) if (Object.hasOwn(object, name)) outline[name] = cutValue(object[name])
  return outline
}

function cutValue(value: unknown): unknown {
  if (typeof value === 'string') return value.slice(0, LONGEST_TEXT)
  if (typeof value !== 'object' || value === null) return value
  return Array.isArray(value) ? value.slice(0, 1).map(cutValue) : cut(value as JsonObject, TYPE)
}
