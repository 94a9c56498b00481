import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import { mistake, quoted, refuse } from '../../../domain/request/rejection.ts'
import { worded } from '../../../domain/wording/worded.ts'

/** A schema that the answer follows. */
export function responseFormat(format: unknown, path: string): JsonObject {
  if (!isJsonObject(format)) return mistake(worded`${path}: expected an object`)
  const { type, schema } = format
  if (type !== 'json_schema') return refuse(worded`${path}.type: ${quoted(type)} is not supported by this provider`)
  if (!isJsonObject(schema)) return mistake(worded`${path}.schema: expected an object`)
  const definition = { name: 'answer', schema, strict: isClosed(schema) }
  return { response_format: { type, json_schema: definition } }
}

/** Chat promises to follow a schema only if its objects require every property and allow no other. */
function isClosed(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isClosed)
  if (!isJsonObject(schema)) return true
  const { properties, required, additionalProperties } = schema
  if (isJsonObject(properties)) {
    const names = Object.keys(properties)
    if (additionalProperties !== false || !Array.isArray(required)) return false
    if (!names.every((name) => required.includes(name))) return false
  } else if (schema['type'] === 'object') return false
  return Object.values(schema).every(isClosed)
}
