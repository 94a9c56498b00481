import type { CallRequest, JsonObject } from '../domain/request/call-request.ts'

const TYPE = ['type']

/**
 * A request as the serving thread knows it: every field, but lists are cut to one item, objects to their type and texts
 * to their beginning. It shows what is present at almost no size.
 */
export function outlineOf(request: CallRequest): CallRequest {
  return { ...cut(request, Object.keys(request).slice(0, MOST_FIELDS)), model: request.model }
}

/** The same for a request in a family's wire format. */
export function wireOutlineOf(wire: JsonObject): JsonObject {
  return cut(wire, Object.keys(wire).slice(0, MOST_FIELDS))
}

/** More than any schema has. */
const MOST_FIELDS = 200
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
