import { isObject, type JsonObject, objectOrEmpty } from '../json.ts'

/** Keywords that the grammar compiler refuses outright. */
const REFUSED = [
  'oneOf',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'maxItems',
  'uniqueItems',
  'contains',
  'prefixItems',
  'patternProperties',
  'propertyNames',
  'minProperties',
  'maxProperties',
  'not',
  'if',
  'then',
  'else',
]
const TYPES = ['object', 'array', 'string', 'integer', 'number', 'boolean', 'null']
const FORMATS = ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid']
const MOST_OPTIONAL_PROPERTIES = 24

/** What the vendor cannot compile, for `output_config.format` and for strict tools. The text follows the path. */
export function problemWithSchema(schema: JsonObject, path: string): string | null {
  const problem = problemWithNode(schema, schema, [])
  if (problem) return `${path}: ${problem}`
  const optional = countOptional(schema)
  if (optional <= MOST_OPTIONAL_PROPERTIES) return null
  return `${path}: Schemas contains too many optional parameters (${optional}), which would make grammar compilation inefficient. Reduce the number of optional parameters in your schemas (limit: ${MOST_OPTIONAL_PROPERTIES}).`
}

function problemWithNode(node: unknown, root: JsonObject, trail: readonly string[]): string | null {
  if (!isObject(node)) return 'schema must be a valid dictionary'
  const own = problemWithKeywords(node) ?? problemWithReference(node, root, trail)
  if (own) return own
  const isAnything = ['type', 'enum', 'const', 'anyOf', 'allOf', '$ref'].every((key) => node[key] === undefined)
  if (isAnything) return 'Schema type is required: one of type, enum, const, anyOf, allOf, $ref'
  return firstProblem(childrenOf(node), (child) => problemWithNode(child, root, trail))
}

function problemWithKeywords(node: JsonObject): string | null {
  const type = node['type']
  for (const name of [type].flat()) {
    if (name !== undefined && !TYPES.includes(name as string)) return `Invalid schema type: ${JSON.stringify(name)}`
  }
  const refused = REFUSED.find((keyword) => node[keyword] !== undefined)
  if (refused) return `For '${typeof type === 'string' ? type : 'any'}' type, property '${refused}' is not supported`
  const isOpen = node['additionalProperties'] !== false
  if ((type === 'object' && isOpen) || (node['additionalProperties'] !== undefined && isOpen)) {
    return "For 'object' type, 'additionalProperties' must be explicitly set to false"
  }
  const { minItems, format, allOf } = node as { minItems?: unknown; format?: unknown; allOf?: unknown }
  if (minItems !== undefined && minItems !== 0 && minItems !== 1) {
    return "For 'array' type, 'minItems' values other than 0 or 1 are not supported"
  }
  if (format !== undefined && !FORMATS.includes(format as string)) {
    return `For 'string' type, format '${format}' is not supported`
  }
  if (Array.isArray(allOf) && allOf.some((part) => isObject(part) && '$ref' in part)) {
    return "'allOf' with '$ref' is not supported"
  }
  const values = [node['enum'] ?? [], 'const' in node ? node['const'] : []].flat()
  return values.some((value) => typeof value === 'object' && value !== null) ? 'enum values must be primitives' : null
}

function problemWithReference(node: JsonObject, root: JsonObject, trail: readonly string[]): string | null {
  const reference = node['$ref']
  if (reference === undefined) return null
  if (typeof reference !== 'string' || !reference.startsWith('#/$defs/')) {
    return `External schema reference '${reference}' is not supported`
  }
  const name = reference.slice('#/$defs/'.length)
  const target = objectOrEmpty(root['$defs'])[name]
  if (target === undefined) return `Reference '${reference}' not found in $defs`
  if (trail.includes(name)) return `Circular reference detected in schema definitions: ${[...trail, name].join(' -> ')}`
  return problemWithNode(target, root, [...trail, name])
}

function childrenOf(node: JsonObject): unknown[] {
  const lists = ['anyOf', 'allOf'].flatMap((key) => (Array.isArray(node[key]) ? node[key] : []))
  const properties = Object.values(objectOrEmpty(node['properties']))
  return [...properties, ...lists, ...(node['items'] === undefined ? [] : [node['items']])]
}

function countOptional(node: unknown): number {
  if (!isObject(node)) return 0
  const required = Array.isArray(node['required']) ? node['required'] : []
  const own = Object.keys(objectOrEmpty(node['properties'])).filter((name) => !required.includes(name)).length
  const below = [...childrenOf(node), ...Object.values(objectOrEmpty(node['$defs']))]
  return below.reduce((sum: number, child) => sum + countOptional(child), own)
}

function firstProblem<T>(items: readonly T[], check: (item: T) => string | null): string | null {
  for (const item of items) {
    const problem = check(item)
    if (problem) return problem
  }
  return null
}
