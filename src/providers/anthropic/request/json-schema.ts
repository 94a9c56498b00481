import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import { refuse } from '../../../domain/request/rejection.ts'
import { worded } from '../../../domain/wording/worded.ts'
import { mapValues, unusableReference, withDefs } from './schema-references.ts'

/**
 * A caller's schema, reduced to what the API compiles for structured output: objects are closed, `oneOf` becomes
 * `anyOf`, and a constraint that cannot be enforced moves into its node's description, as in the vendor's SDK. What
 * would change the meaning is refused.
 */
export function reducedSchema(schema: JsonObject, path: string): JsonObject {
  const reduced = reduceNode(withDefs(schema), path) as JsonObject
  const reference = unusableReference(reduced)
  if (reference !== null) refuse(worded`${path}: the reference '${reference.slice(0, 200)}' is recursive or external`)
  return reduced
}

const FORMATS: ReadonlySet<unknown> = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'uri',
  'ipv4',
  'ipv6',
  'uuid',
])

/** Keywords whose values are kept if they pass the test. */
const KEPT: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ['type', always],
  ['required', always],
  ['title', always],
  ['default', always],
  ['pattern', always],
  ['$ref', always],
  ['enum', (value: unknown) => Array.isArray(value) && value.every(isPrimitive)],
  ['const', isPrimitive],
  ['additionalProperties', (value: unknown) => value === false],
  ['minItems', (value: unknown) => value === 0 || value === 1],
  ['format', (value: unknown) => FORMATS.has(value)],
])

/** Annotations for other tools: they constrain nothing and would only confuse the model. */
const DROPPED: ReadonlySet<string> = new Set(['$schema', '$id', '$comment'])

function always(): boolean {
  return true
}

function isPrimitive(value: unknown): boolean {
  return value === null || typeof value !== 'object'
}

function reduceNode(node: unknown, path: string): unknown {
  if (!isJsonObject(node)) return node
  const isObject = describesObject(node)
  if (isObject && isOpen(node)) refuse(worded`${path}: an object with free keys is not supported by this provider`)
  const moved: string[] = []
  const entries: [string, unknown][] = []
  if (isObject && (node['type'] ?? null) === null) entries.push(['type', 'object'])
  for (const [key, value] of Object.entries(node)) {
    if (DROPPED.has(key) || (value === null && key !== 'default' && key !== 'const')) continue
    const entry = keptEntry(key, value, node, path)
    if (entry === null) moved.push(`${key}: ${JSON.stringify(value)}`)
    else entries.push(entry)
  }
  if (isObject && node['additionalProperties'] !== false) entries.push(['additionalProperties', false])
  if (moved.length > 0) addToDescription(entries, `{${moved.join(', ')}}`)
  return Object.fromEntries(entries)
}

/** Null: the API has no such constraint. */
function keptEntry(key: string, value: unknown, node: JsonObject, path: string): [string, unknown] | null {
  switch (key) {
    case 'description':
      return typeof value === 'string' ? [key, value] : null
    case 'properties':
    case '$defs':
      if (!isJsonObject(value)) return [key, value]
      return [key, mapValues(value, (child, name) => reduceNode(child, `${path}.${key}.${name.slice(0, 100)}`))]
    case 'items':
      return Array.isArray(value) ? null : [key, reduceNode(value, `${path}.items`)]
    case 'anyOf':
      return [key, reduceEach(value, `${path}.anyOf`)]
    case 'oneOf':
      return (node['anyOf'] ?? null) === null ? ['anyOf', reduceEach(value, `${path}.oneOf`)] : null
    case 'allOf':
      if (Array.isArray(value) && value.some((branch) => isJsonObject(branch) && typeof branch['$ref'] === 'string')) {
        refuse(worded`${path}.allOf: a reference within allOf is not supported by this provider`)
      }
      return [key, reduceEach(value, `${path}.allOf`)]
    default:
      return KEPT.get(key)?.(value) === true ? [key, value] : null
  }
}

function reduceEach(branches: unknown, path: string): unknown {
  if (!Array.isArray(branches)) return branches
  return branches.map((branch, index) => reduceNode(branch, `${path}[${index}]`))
}

function describesObject(node: JsonObject): boolean {
  const type = node['type'] ?? null
  if (type === null) return isJsonObject(node['properties'])
  return type === 'object' || (Array.isArray(type) && type.includes('object'))
}

/** Allows keys that the schema does not name; closed, only `{}` would match. */
function isOpen(node: JsonObject): boolean {
  const additional = node['additionalProperties'] ?? null
  if (additional !== null && additional !== false) return true
  const properties = node['properties']
  if (isJsonObject(properties) && Object.keys(properties).length > 0) return false
  if (isJsonObject(node['patternProperties'])) return true
  const isComposed = ['anyOf', 'oneOf', 'allOf', '$ref'].some((key) => (node[key] ?? null) !== null)
  return additional === null && !isComposed
}

function addToDescription(entries: [string, unknown][], text: string): void {
  const present = entries.find(([key]) => key === 'description')
  if (present === undefined) entries.push(['description', text])
  else present[1] = `${String(present[1])}\n\n${text}`
}
