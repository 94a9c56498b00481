import { isObject, type JsonObject, objectOrEmpty } from './json.ts'
import type { Random } from './random.ts'
import { word } from './sentences.ts'

const FORMATS = new Map<unknown, string>(
  Object.entries({
    'date-time': '2026-11-14T12:00:00Z',
    date: '2026-11-14',
    time: '12:00:00Z',
    duration: 'PT5M',
    email: 'someone@example.com',
    hostname: 'example.com',
    uri: 'https://example.com/',
    ipv4: '192.0.2.1',
    ipv6: '2001:db8::1',
    uuid: '6f0f1a3c-5b7e-4c1d-8a2b-0d9e8f7a6b5c',
  }),
)

/** `required` keeps the value minimal; `all` fills every property, as a model calling a tool would. */
export type Fill = 'required' | 'all'

export interface Sampling {
  root: JsonObject
  random: Random
  fill: Fill
}

/** A value valid for the schema. `pattern` is not solved; a test that needs one scripts its answer. */
export function sampleValue(schema: unknown, sampling: Sampling, depth = 0): unknown {
  if (!isObject(schema) || depth > 20) return null
  if ('const' in schema) return schema['const']
  if (Array.isArray(schema['enum'])) return schema['enum'][0] ?? null
  const target = referenced(schema, sampling.root)
  if (target) return sampleValue(target, sampling, depth + 1)
  const choices = schema['anyOf'] ?? schema['oneOf']
  if (Array.isArray(choices)) return sampleValue(simplest(choices), sampling, depth + 1)
  if (Array.isArray(schema['allOf'])) return sampleValue(merged(schema), sampling, depth + 1)
  return sampleByType(schema, sampling, depth)
}

function sampleByType(schema: JsonObject, sampling: Sampling, depth: number): unknown {
  switch (typeOf(schema)) {
    case 'object':
      return sampleObject(schema, sampling, depth)
    case 'array': {
      const length = typeof schema['minItems'] === 'number' ? schema['minItems'] : sampling.fill === 'all' ? 1 : 0
      return Array.from({ length }, () => sampleValue(schema['items'], sampling, depth + 1))
    }
    case 'integer':
      return Math.ceil(sampleNumber(schema, sampling.random))
    case 'number':
      return sampleNumber(schema, sampling.random)
    case 'boolean':
      return sampling.random() < 0.5
    case 'string':
      return sampleString(schema, sampling.random)
    default:
      return null
  }
}

function typeOf(schema: JsonObject): unknown {
  const type = schema['type']
  if (Array.isArray(type)) return type.find((name) => name !== 'null') ?? 'null'
  if (type === undefined && isObject(schema['properties'])) return 'object'
  return type
}

function sampleObject(schema: JsonObject, sampling: Sampling, depth: number): JsonObject {
  const properties = objectOrEmpty(schema['properties'])
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  const value: JsonObject = {}
  for (const [name, property] of Object.entries(properties)) {
    if (sampling.fill === 'required' && !required.includes(name)) continue
    // An optional property of a recursive schema must end somewhere.
    if (depth > 4 && !required.includes(name)) continue
    value[name] = sampleValue(property, sampling, depth + 1)
  }
  // Asked for any keys, a model writes some.
  if (schema['additionalProperties'] === true && sampling.fill === 'all') value['answer'] ??= word(sampling.random)
  return value
}

function sampleNumber(schema: JsonObject, random: Random): number {
  const minimum = Number(schema['minimum'] ?? Number(schema['exclusiveMinimum'] ?? 0) + 1)
  const maximum = Number(schema['maximum'] ?? Number(schema['exclusiveMaximum'] ?? minimum + 100) - 1)
  const value = minimum + Math.floor(random() * Math.max(0, maximum - minimum))
  const step = Number(schema['multipleOf'] ?? 0)
  return step > 0 ? Math.ceil(value / step) * step : value
}

function sampleString(schema: JsonObject, random: Random): string {
  const text = (FORMATS.get(schema['format']) ?? word(random)).padEnd(Number(schema['minLength'] ?? 0), 'x')
  return text.slice(0, Number(schema['maxLength'] ?? text.length))
}

function referenced(schema: JsonObject, root: JsonObject): unknown {
  const reference = schema['$ref']
  if (typeof reference !== 'string' || !reference.startsWith('#')) return undefined
  let target: unknown = root
  for (const step of reference.split('/').slice(1)) target = objectOrEmpty(target)[step]
  return target
}

/** A recursive schema ends in the branch that is not another object. */
function simplest(choices: unknown[]): unknown {
  return choices.find((choice) => isObject(choice) && choice['type'] !== 'object' && !('$ref' in choice)) ?? choices[0]
}

function merged(schema: JsonObject): JsonObject {
  const { allOf, ...own } = schema
  const result: JsonObject = { ...own }
  for (const part of (allOf as unknown[]).filter(isObject)) {
    const properties = { ...objectOrEmpty(result['properties']), ...objectOrEmpty(part['properties']) }
    const required = [result['required'], part['required']].flatMap((names) => (Array.isArray(names) ? names : []))
    Object.assign(result, part, { properties, required })
  }
  return result
}
