import { isObject, type JsonObject, objectOrEmpty, objectsIn } from '../json.ts'
import { problemWithSchema } from './schema-rules.ts'

const ROOT_UNIONS = ['oneOf', 'anyOf', 'allOf']
const MOST_CACHE_MARKS = 4

export function problemWithTools(body: JsonObject): string | null {
  const tools = objectsIn(body['tools'])
  const names = new Set<unknown>()
  for (const [index, tool] of tools.entries()) {
    const path = `tools.${index}.custom.input_schema`
    const schema = objectOrEmpty(tool['input_schema'])
    if (names.has(tool['name'])) return 'tools: Tool names must be unique.'
    names.add(tool['name'])
    // Tools of the vendor's own have no schema on the wire.
    if (typeof tool['type'] === 'string' && tool['type'] !== 'custom') continue
    if (schema['type'] === undefined) return `${path}.type: Field required`
    if (schema['type'] !== 'object') return `${path}.type: Input should be 'object'`
    if (ROOT_UNIONS.some((keyword) => schema[keyword] !== undefined)) {
      return `${path}: input_schema does not support oneOf, allOf, or anyOf at the top level`
    }
    const unresolved = unresolvedReference(schema, schema)
    if (unresolved) return `${path}: JSON schema is invalid. Unresolvable reference '${unresolved}'`
    const problem = tool['strict'] === true ? problemWithSchema(schema, `tools.${index}.custom`) : null
    if (problem) return problem
  }
  return problemWithChoice(body['tool_choice'], names)
}

function problemWithChoice(choice: unknown, names: ReadonlySet<unknown>): string | null {
  if (!isObject(choice)) return null
  if (names.size === 0) return 'tool_choice: may only be specified while providing tools'
  if (choice['type'] !== 'tool' || names.has(choice['name'])) return null
  return `tool_choice: Tool '${choice['name']}' not found in provided tools`
}

/** The vendor resolves pointers into `$defs` only. */
function unresolvedReference(node: unknown, root: JsonObject): string | null {
  if (typeof node !== 'object' || node === null) return null
  const reference = (node as JsonObject)['$ref']
  if (typeof reference === 'string') {
    const name = reference.replace('#/$defs/', '').split('/')[0] ?? ''
    if (reference !== '#' && !Object.hasOwn(objectOrEmpty(root['$defs']), name)) return reference
  }
  for (const child of Object.values(node)) {
    const found = unresolvedReference(child, root)
    if (found) return found
  }
  return null
}

/** Marks in the order in which the vendor reads the prompt: tools, system, messages. */
export function problemWithCacheMarks(body: JsonObject): string | null {
  const marks = [body['tools'], body['system'], body['messages']].flatMap(cacheMarks)
  if (marks.length > MOST_CACHE_MARKS) {
    return `A maximum of ${MOST_CACHE_MARKS} blocks with cache_control may be provided. Found ${marks.length}.`
  }
  const firstShort = marks.findIndex((mark) => mark['ttl'] !== '1h')
  const isLongAfterShort = firstShort >= 0 && marks.slice(firstShort).some((mark) => mark['ttl'] === '1h')
  return isLongAfterShort
    ? "cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block"
    : null
}

function cacheMarks(value: unknown): JsonObject[] {
  return objectsIn(value).flatMap((item) => [
    ...cacheMarks(item['content']),
    ...(isObject(item['cache_control']) ? [item['cache_control']] : []),
  ])
}
