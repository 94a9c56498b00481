import { setImmediate as nextTurn } from 'node:timers/promises'
import type { z } from 'zod'
import { ERRORS } from '../domain/errors.ts'
import { DASHBOARD_HEADER } from './access/cross-site.ts'
import { SESSION_COOKIE } from './access/session-cookie.ts'
import type { Operation, OperationScope } from './contract/operation.ts'
import { Components } from './openapi-components.ts'
import { exampleOf, paramExampleOf } from './openapi-examples.ts'
import { v1Paths } from './openapi-v1.ts'

type Json = Record<string, unknown>

/**
 * OpenAPI 3.1 of the whole gateway: the management API from the rows the router runs on, and what applications call.
 * One row per turn of the event loop, so that calls are not delayed. `callsPort`: where /v1 is, if not at the address
 * of the document.
 */
export async function openApi(
  operations: Record<string, Operation>,
  version: string,
  callsPort: string | null,
): Promise<Json> {
  const components = new Components()
  const { schemaOf } = components
  const paths = v1Paths(schemaOf, callsPort)
  for (const [name, operation] of Object.entries(operations)) {
    const path = paths[operation.path] ?? {}
    path[operation.method.toLowerCase()] = describe(name, operation, schemaOf)
    paths[operation.path] = path
    await nextTurn()
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Switchyard',
      version,
      description:
        'Applications call /v1 with a gateway key. The management API (keys, routes, providers, prices, the request log and its sums) is at the same address, with an admin key.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'This gateway' }],
    security: [{ admin_key: [] }, { session: [] }],
    paths,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      schemas: { Error: ERROR_SCHEMA, ...components.schemas },
    },
  }
}

const SECURITY_SCHEMES: Json = {
  gateway_key: { type: 'http', scheme: 'bearer', description: 'A gateway key (gw_live_…): everything under /v1' },
  admin_key: { type: 'http', scheme: 'bearer', description: 'An admin key (gw_admin_…)' },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: SESSION_COOKIE,
    description: `For browsers: set by POST /sessions. Changes also need the header ${DASHBOARD_HEADER}: 1.`,
  },
}

const ERROR_SCHEMA: Json = {
  type: 'object',
  examples: [{ error: { message: 'There is no key with this id.', type: 'not_found', code: 'not_found' } }],
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['message', 'type', 'code'],
      properties: {
        message: { type: 'string' },
        type: { type: 'string', description: 'Equal to code.' },
        code: { type: 'string', enum: Object.keys(ERRORS), description: 'docs/errors.md says when and what helps.' },
        details: { type: 'object', additionalProperties: true },
      },
    },
  },
}

type SchemaOf = Components['schemaOf']

function describe(name: string, operation: Operation, schemaOf: SchemaOf): Json {
  const described: Json = {
    operationId: name,
    summary: operation.summary,
    tags: [operation.tag],
    parameters: parameters(name, operation, schemaOf),
    responses: responses(name, operation, schemaOf),
  }
  if (operation.isPublic) described['security'] = []
  else {
    described['description'] = `Role: ${operation.role}. ${SCOPES[operation.scope]}`
    described['x-role'] = operation.role
    described['x-scope'] = operation.scope
  }
  if (operation.body.type !== 'undefined') {
    described['requestBody'] = {
      required: true,
      content: { 'application/json': { schema: schemaOf(operation.body, 'input'), ...exampleOf(name, 'request') } },
    }
  }
  return described
}

const SCOPES: Record<OperationScope, string> = {
  workspace: 'The access must cover the workspace.',
  rows: 'Only what the access covers is shown or found.',
  shared: 'For access to any workspace.',
  gateway: 'The access must cover all workspaces.',
}

function parameters(name: string, operation: Operation, schemaOf: SchemaOf): Json[] {
  const fields = (object: z.ZodObject, place: 'path' | 'query') =>
    Object.entries(object.shape).map(([field, type]) => ({
      name: field,
      in: place,
      required: place === 'path' || !(type as z.ZodType).safeParse(undefined).success,
      schema: schemaOf(type as z.ZodType, 'input'),
      // Not for query parameters: it would prefill the field when trying the operation.
      ...(place === 'path' && paramExampleOf(name, field)),
    }))
  const ifMatch = {
    name: 'If-Match',
    in: 'header',
    required: false,
    schema: { type: 'string' },
    description: 'The ETag that you have seen; 412 when it is stale.',
  }
  const ifNoneMatch = {
    ...ifMatch,
    name: 'If-None-Match',
    schema: { type: 'string', enum: ['*'] },
    description: 'Only create: 412 when it is there already.',
  }
  const takesVersion = operation.hasVersion && operation.method !== 'GET' && operation.method !== 'POST'
  return [
    ...fields(operation.params, 'path'),
    ...fields(operation.query, 'query'),
    ...(takesVersion ? [ifMatch] : []),
    ...(takesVersion && operation.mayCreate ? [ifNoneMatch] : []),
  ]
}

function responses(name: string, operation: Operation, schemaOf: SchemaOf): Json {
  const success: Json = { description: operation.summary }
  if (operation.stream !== null) {
    const schema = { type: 'string' }
    success['content'] = Object.fromEntries(
      operation.stream.map((mediaType, at) => [mediaType, { schema, ...(at === 0 && exampleOf(name, 'answer')) }]),
    )
  } else if (operation.status !== 204) {
    const schema = schemaOf(operation.reply, 'output')
    success['content'] = { 'application/json': { schema, ...exampleOf(name, 'answer') } }
  }
  const failure = {
    description: 'An error',
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  }
  return { [operation.status]: success, ...(operation.mayCreate ? { 201: success } : {}), default: failure }
}
