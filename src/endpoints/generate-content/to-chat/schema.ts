import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'

/** Keywords whose value is a schema, a list of them, or an object of them. */
const SCHEMAS: ReadonlySet<string> = new Set(['items', 'additionalProperties', 'not', 'contains'])
const LISTS: ReadonlySet<string> = new Set(['anyOf', 'any_of', 'oneOf', 'allOf', 'prefixItems'])
const OBJECTS: ReadonlySet<string> = new Set(['properties', '$defs', 'defs', 'definitions', 'patternProperties'])
/** Long integers are texts in this format. */
const FIGURES: ReadonlySet<string> = new Set([
  ...['minItems', 'maxItems', 'minLength', 'maxLength', 'minProperties', 'maxProperties'],
])
const RENAMED: Readonly<Record<string, string>> = { any_of: 'anyOf', defs: '$defs' }
/** Only this format knows it: the order is in the properties themselves. */
const LEFT_OUT: ReadonlySet<string> = new Set(['propertyOrdering', 'property_ordering', 'nullable'])

/** A schema of OpenAPI's kind, or one with its names of types, as JSON schema. Clients mix both. */
export function jsonSchema(schema: JsonObject): JsonObject {
  const result: JsonObject = {}
  for (const name in schema) {
    if (LEFT_OUT.has(name)) continue
    const value = keyword(name, schema[name])
    if (value !== undefined) result[RENAMED[name] ?? name] = value
  }
  return schema['nullable'] === true ? orNull(result) : result
}

function keyword(name: string, value: unknown): unknown {
  if (name === 'type') return typeOf(value)
  if (SCHEMAS.has(name)) return schemaOr(value)
  if (LISTS.has(name)) return Array.isArray(value) ? value.map(schemaOr) : value
  if (OBJECTS.has(name)) return isJsonObject(value) ? mapped(value) : value
  return FIGURES.has(name) && typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
}

function schemaOr(value: unknown): unknown {
  return isJsonObject(value) ? jsonSchema(value) : value
}

/** A property may have any name, also that of a keyword. */
function mapped(schemas: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, schemaOr(schema)]))
}

function typeOf(type: unknown): unknown {
  if (Array.isArray(type)) return type.map(typeOf)
  if (typeof type !== 'string') return type
  return type === 'TYPE_UNSPECIFIED' ? undefined : type.toLowerCase()
}

function orNull(schema: JsonObject): JsonObject {
  const { type, enum: values } = schema
  const types = Array.isArray(type) ? type : type === undefined ? [] : [type]
  if (types.length === 0 || types.includes('null')) return schema
  const named = Array.isArray(values) && !values.includes(null) ? { enum: [...values, null] } : {}
  return { ...schema, type: [...types, 'null'], ...named }
}
