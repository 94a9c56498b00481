import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'

/** Keywords that hold one schema, a list of schemas, or schemas by name; everything else is data. */
const ONE: ReadonlySet<string> = new Set([
  'items',
  'additionalProperties',
  'contains',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
  'additionalItems',
  'unevaluatedItems',
  'unevaluatedProperties',
])
const LISTS: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems', 'items'])
const NAMED: ReadonlySet<string> = new Set([
  'properties',
  '$defs',
  'definitions',
  'patternProperties',
  'dependentSchemas',
])

const OLD_PREFIX = '#/definitions/'
const NEW_PREFIX = '#/$defs/'

/**
 * The API resolves `$defs` only: root `definitions` are moved there and the pointers rewritten. Schemas without
 * `definitions` are returned unchanged, so the usual tool costs nothing. Where both keywords define the same name there
 * is no faithful merge, and the provider's own error is the better answer.
 */
export function withDefs(schema: JsonObject): JsonObject {
  const definitions = ownValue(schema, 'definitions')
  if (!isJsonObject(definitions)) return schema
  const defs = ownValue(schema, '$defs')
  const present = isJsonObject(defs) ? defs : {}
  if (Object.keys(definitions).some((name) => Object.hasOwn(present, name))) return schema
  const merged = { ...present, ...definitions }
  const entries = Object.entries(schema)
    .filter(([key]) => key !== '$defs')
    .map(([key, value]): [string, unknown] => (key === 'definitions' ? ['$defs', merged] : [key, value]))
  return repointed(Object.fromEntries(entries)) as JsonObject
}

function repointed(node: unknown): unknown {
  if (!isJsonObject(node)) return node
  const entries = Object.entries(node).map(([key, value]): [string, unknown] => {
    if (key === '$ref') return [key, newPointer(value)]
    if (LISTS.has(key) && Array.isArray(value)) return [key, value.map(repointed)]
    if (ONE.has(key)) return [key, repointed(value)]
    if (NAMED.has(key) && isJsonObject(value)) return [key, mapValues(value, repointed)]
    return [key, value]
  })
  return Object.fromEntries(entries)
}

function newPointer(pointer: unknown): unknown {
  if (typeof pointer !== 'string' || !pointer.startsWith(OLD_PREFIX)) return pointer
  return NEW_PREFIX + pointer.slice(OLD_PREFIX.length)
}

/** Safe for names such as `__proto__`. */
export function mapValues(object: JsonObject, change: (value: unknown, name: string) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value, name)]))
}

function ownValue(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

/** Longer than any real chain of references; bounds the recursion below. */
const LONGEST_CHAIN = 1000

/** The first reference that the API cannot compile: external or recursive. */
export function unusableReference(root: JsonObject): string | null {
  const open = new Set<unknown>()
  const done = new Set<unknown>()

  function visit(node: unknown): string | null {
    if (!isJsonObject(node) || done.has(node)) return null
    open.add(node)
    const reference = ownValue(node, '$ref')
    const found = (typeof reference === 'string' ? follow(reference) : null) ?? firstOf(subschemas(node), visit)
    open.delete(node)
    done.add(node)
    return found
  }

  function follow(reference: string): string | null {
    if (!reference.startsWith('#')) return reference
    const target = resolved(root, reference)
    return open.has(target) || open.size > LONGEST_CHAIN ? reference : visit(target)
  }

  return visit(root)
}

function firstOf(nodes: unknown[], visit: (node: unknown) => string | null): string | null {
  for (const node of nodes) {
    const found = visit(node)
    if (found !== null) return found
  }
  return null
}

function subschemas(node: JsonObject): unknown[] {
  return Object.entries(node).flatMap(([key, value]) => {
    if (LISTS.has(key) && Array.isArray(value)) return value
    if (ONE.has(key)) return [value]
    return NAMED.has(key) && isJsonObject(value) ? Object.values(value) : []
  })
}

/** Undefined when the pointer (RFC 6901) has no target; the provider reports that. */
function resolved(root: JsonObject, pointer: string): unknown {
  let node: unknown = root
  for (const step of pointer.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    if (Array.isArray(node)) node = node[Number(name)]
    else node = isJsonObject(node) ? ownValue(node, name) : undefined
  }
  return pointer === '#' || pointer.startsWith('#/') ? node : undefined
}
