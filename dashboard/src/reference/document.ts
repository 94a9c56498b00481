/** The parts of JSON Schema that the gateway's document uses. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  default?: unknown
  description?: string
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description?: string
  schema: Schema
  example?: unknown
}

export interface Media {
  schema?: Schema
  example?: unknown
}

export interface Answer {
  status: string
  description: string
  headers: readonly { name: string; description: string }[]
  media: Media | null
}

export interface ApiOperation {
  id: string
  method: string
  path: string
  tag: string
  summary: string
  description: string
  /** Which key it needs. */
  auth: 'gateway' | 'admin' | 'none'
  /** Served at the address of this page. */
  isHere: boolean
  parameters: readonly Parameter[]
  body: Media | null
  bodyNotes: string
  answers: readonly Answer[]
}

export interface ApiDocument {
  version: string
  operations: readonly ApiOperation[]
  schemas: Readonly<Record<string, Schema>>
}

type Json = Record<string, unknown>

const METHODS = ['get', 'post', 'put', 'patch', 'delete']

/** What the page needs of `/openapi.json`. */
export function readDocument(json: Json): ApiDocument {
  const paths = json['paths'] as Record<string, Json>
  return {
    version: String((json['info'] as Json)['version']),
    operations: Object.entries(paths).flatMap(([path, methods]) =>
      METHODS.flatMap((method) => (method in methods ? [readOperation(method, path, methods)] : [])),
    ),
    schemas: ((json['components'] as Json)['schemas'] ?? {}) as Record<string, Schema>,
  }
}

function readOperation(method: string, path: string, methods: Json): ApiOperation {
  const operation = methods[method] as Json
  const body = operation['requestBody'] as { description?: string; content: Record<string, Media> } | undefined
  return {
    id: String(operation['operationId']),
    method: method.toUpperCase(),
    path,
    tag: (operation['tags'] as string[] | undefined)?.[0] ?? '',
    summary: String(operation['summary']),
    description: String(operation['description'] ?? ''),
    auth: authOf(operation['security'] as Json[] | undefined),
    isHere: !('servers' in methods),
    parameters: (operation['parameters'] ?? []) as Parameter[],
    body: body === undefined ? null : (Object.values(body.content)[0] ?? null),
    bodyNotes: body?.description ?? '',
    answers: Object.entries(operation['responses'] as Record<string, Json>).map(readAnswer),
  }
}

function authOf(security: Json[] | undefined): ApiOperation['auth'] {
  if (security === undefined) return 'admin'
  return security.some((scheme) => 'gateway_key' in scheme) ? 'gateway' : 'none'
}

function readAnswer([status, answer]: [string, Json]): Answer {
  const headers = (answer['headers'] ?? {}) as Record<string, { description?: string }>
  return {
    status,
    description: String(answer['description'] ?? ''),
    headers: Object.entries(headers).map(([name, { description = '' }]) => ({ name, description })),
    media: Object.values((answer['content'] ?? {}) as Record<string, Media>)[0] ?? null,
  }
}

/** Every word must occur somewhere: in the id, path, summary or group. */
export function found(operations: readonly ApiOperation[], text: string): ApiOperation[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return operations.filter(({ id, method, path, summary, tag }) => {
    const all = `${id} ${method} ${path} ${summary} ${tag}`.toLowerCase()
    return words.every((word) => all.includes(word))
  })
}

/** The schema that a reference leads to, with its name. */
export function resolved(schema: Schema, schemas: ApiDocument['schemas']): { schema: Schema; name: string | null } {
  const name = schema.$ref?.split('/').at(-1)
  if (name === undefined) return { schema, name: null }
  return { schema: { ...schemas[name], ...(schema.description && { description: schema.description }) }, name }
}

/** A type in a few words: `string or null`, `list of Key`, `"hard" | "soft"`. */
export function typeText(schema: Schema, schemas: ApiDocument['schemas']): string {
  const { schema: inner, name } = resolved(schema, schemas)
  if (name !== null) return name
  if (inner.enum !== undefined) return inner.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (inner.const !== undefined) return JSON.stringify(inner.const)
  const choices = inner.anyOf ?? inner.oneOf
  if (choices !== undefined) return [...new Set(choices.map((each) => typeText(each, schemas)))].join(' or ')
  if (inner.type === 'array') return `list of ${inner.items === undefined ? 'any' : typeText(inner.items, schemas)}`
  return Array.isArray(inner.type) ? inner.type.join(' or ') : (inner.type ?? 'any')
}

/** The fields inside a type, through lists and choices; none for a plain value. */
export function fieldsOf(
  schema: Schema,
  schemas: ApiDocument['schemas'],
): [name: string, field: Schema, isRequired: boolean][] {
  const { schema: inner } = resolved(schema, schemas)
  if (inner.properties !== undefined) {
    return Object.entries(inner.properties).map(([name, field]) => [
      name,
      field,
      inner.required?.includes(name) ?? false,
    ])
  }
  if (inner.items !== undefined) return fieldsOf(inner.items, schemas)
  return (
    (inner.anyOf ?? inner.oneOf ?? []).map((each) => fieldsOf(each, schemas)).find((fields) => fields.length > 0) ?? []
  )
}
