import { z } from 'zod'
import { CALL_KINDS, type CallNames, LONGEST_NAME } from '../domain/attribution.ts'
import { contractError, ERRORS, type ErrorCode, type ErrorFormat, GatewayError } from '../domain/errors.ts'
import { OWN_HEADERS } from '../endpoints/call-names.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { ENDPOINTS } from '../endpoints/endpoints.ts'
import { ContentsError, contentsError } from '../endpoints/generate-content/errors.ts'
import { ListedModel, ModelList } from '../endpoints/generate-content/model-list.ts'
import { usageOperations } from './contract/usage.ts'
import { exampleOf } from './openapi-examples.ts'

type Json = Record<string, unknown>

/** What the management API adds to the errors: no call under /v1 ends with them. */
const NOT_OF_CALLS = new Set(['managed_by_config', 'precondition_failed', 'too_many_attempts'])

const model = z.object({
  id: z
    .string()
    .describe('A route alias or a direct model id: of a provider whose prefix it has, or `provider/model`.'),
  object: z.literal('model'),
  created: z.int().describe('Unix seconds.'),
  owned_by: z.string().describe('route:PROVIDER for an alias, else the name of the provider.'),
})
const models = z.object({ object: z.literal('list'), data: z.array(model) })

const usd = (what: string) => z.string().describe(`${what}, USD, a decimal string.`)
const ownSession = usageOperations['usage.session'].reply
  .omit({ keys: true, workspace: true })
  .extend({ object: z.literal('session') })

const ownKey = z.object({
  object: z.literal('key'),
  name: z.string(),
  prefix: z.string().describe('The first characters of its value.'),
  workspace: z.string(),
  created_at: z.string(),
  expires_at: z.string().nullable().describe('Refused from then on; null: never.'),
  allowed_models: z.array(z.string()).nullable().describe('Null: all.'),
  streaming: z.boolean().describe('Whether its calls may stream.'),
  limits: z.object({
    rpm: z.int().optional(),
    tpm: z.int().optional(),
    max_parallel: z.int().optional(),
    max_output_tokens: z.int().optional(),
  }),
  budgets: z
    .array(
      z.object({
        scope: z.enum(['key', 'workspace']),
        each: z.string().optional().describe('Of a budget for each value of this'),
        value: z.string().optional().describe('The value: of what the headers of this request name'),
        per: z.enum(['day', 'week', 'month', 'total']),
        limit_usd: usd('The budget'),
        spent_usd: usd('Spent in this period'),
        held_usd: usd('Held for running calls'),
        remaining_usd: usd('Left'),
        resets_at: z.string().nullable().describe('Null: never.'),
      }),
    )
    .describe('Of the key and of its workspace, and of the session or agent that the headers of this request name.'),
})

const text = { type: 'string' }
const always = (description: string, schema: Json = text) => ({ description, required: true, schema })
const sometimes = (description: string, schema: Json = text) => ({ description, schema })

/** On every answer under /v1. */
const ID_HEADERS: Json = {
  'x-gateway-request-id': always('The id of the row in the request log.'),
  'x-request-id': always('The same, where the official clients look for it.'),
}
const RATE_HEADERS: Json = Object.fromEntries(
  ['requests', 'tokens'].flatMap((unit) => [
    [`x-ratelimit-limit-${unit}`, sometimes(`The most ${unit} a minute; only where a limit binds the key.`)],
    [`x-ratelimit-remaining-${unit}`, sometimes(`The ${unit} that are left now.`)],
    [`x-ratelimit-reset-${unit}`, sometimes('When all of them are back, as 6m0s.')],
  ]),
)
const CALL_HEADERS: Json = {
  'x-gateway-provider': always('The provider that served the answer.'),
  'x-gateway-model': always('The model id used there.'),
  'x-gateway-fallback-used': always('Whether another entry than the first served it.', {
    ...text,
    enum: ['true', 'false'],
  }),
  'x-gateway-latency-ms': always('What the provider took.', { ...text, pattern: '^\\d+$' }),
  'x-gateway-cost-usd': always('What the call cost, by the registry.', { ...text, pattern: '^\\d+\\.\\d{6}$' }),
  'x-gateway-ignored-params': sometimes('Names of hints that the provider does not know and that were left out.'),
  'x-gateway-adjusted': sometimes('What the gateway changed of the request, and why: max_tokens=800;fitted_to_budget.'),
  'x-gateway-budget-warning': sometimes('A soft budget is used up, or a hard one nearly.'),
  'x-gateway-status': sometimes('The status of a refusal that was answered as a stream which has failed.', {
    ...text,
    pattern: '^[45]\\d\\d$',
  }),
  'x-gateway-limits': sometimes('The shared counters were unavailable and the call was allowed.', {
    ...text,
    enum: ['unchecked'],
  }),
  'x-gateway-idempotent-replay': sometimes('The answer of an earlier call with this Idempotency-Key.', {
    ...text,
    enum: ['true'],
  }),
  'x-gateway-cache': sometimes('Of a route with a response cache: whether a stored answer was given.', {
    ...text,
    enum: ['hit', 'miss', 'bypass'],
  }),
  'x-content-type-options': sometimes('The answer is JSON and nothing else.', { ...text, enum: ['nosniff'] }),
  'server-timing': sometimes(
    '`upstream`: milliseconds at providers, all attempts and the guardrail included (`x-gateway-latency-ms` is the attempt that served); `gateway`: in the gateway itself.',
  ),
}
const MODELS_HEADERS: Json = {
  'x-gateway-streaming': always('Whether calls of this key may stream.', { ...text, enum: ['on', 'off'] }),
}
const ERROR_HEADERS: Json = {
  'retry-after': sometimes('Seconds after which to try again; missing where waiting does not help.'),
}

/** The endpoints that applications call, in the words of OpenAPI. */
export function v1Paths(
  schemaOf: (type: z.ZodType, io: 'input' | 'output') => Json,
  callsPort: string | null,
): Record<string, Json> {
  const answer = (operation: string, description: string, type: z.ZodType, headers: Json) => ({
    description,
    headers: { ...headers, ...ID_HEADERS, ...RATE_HEADERS },
    content: { 'application/json': { schema: schemaOf(type, 'output'), ...exampleOf(operation, 'answer') } },
  })
  const common = { tags: ['Applications'], security: [{ gateway_key: [] }] }
  const served = ({ page, stream, methods }: Endpoint) => {
    const whole = answer(page.operationId, page.answerNotes, page.answer, CALL_HEADERS)
    if (stream?.typeOf !== undefined) {
      return { ...whole, content: { 'audio/*': whole.content['application/json'], 'text/event-stream': STREAM } }
    }
    // Another method streams, at a path of its own.
    return stream === undefined || methods !== undefined
      ? whole
      : { ...whole, content: { ...whole.content, 'text/event-stream': STREAM } }
  }
  const bodyType = ({ form }: Endpoint) => (form === undefined ? 'application/json' : 'multipart/form-data')
  const posted = (endpoint: Endpoint, page = endpoint.page) => ({
    ...{ operationId: page.operationId, summary: page.summary, ...common },
    parameters: [...(endpoint.methods === undefined ? [] : [MODEL]), IDEMPOTENCY_KEY, ...ATTRIBUTION],
    requestBody: {
      required: true,
      description: page.requestNotes,
      content: { [bodyType(endpoint)]: { schema: schemaOf(page.request, 'input'), example: page.example } },
    },
    responses: { 200: served(endpoint), ...failures(() => true, endpoint.error, errorOf(page)) },
  })
  const errorOf = ({ error }: Endpoint['page']) => (error === undefined ? ERROR : schemaOf(error, 'output'))
  const place = callsPort === null ? {} : { servers: [serverAt(callsPort)] }
  return {
    ...Object.fromEntries(ENDPOINTS.map((endpoint) => [endpoint.path, { ...place, post: posted(endpoint) }])),
    '/v1/key': {
      ...place,
      get: {
        ...{
          operationId: 'v1.key.get',
          summary: 'The key itself: its limits, and what is left of its budgets',
          ...common,
        },
        responses: { 200: answer('v1.key.get', 'The key', ownKey, {}), ...failures((code) => ON_MODELS.has(code)) },
      },
    },
    '/v1/sessions/{session}': {
      ...place,
      get: {
        ...{ operationId: 'v1.sessions.get', summary: 'What a session of this key has cost so far', ...common },
        parameters: [
          { name: 'session', in: 'path', required: true, schema: text, description: 'As its calls name it.' },
        ],
        responses: {
          200: answer('v1.sessions.get', 'The session', ownSession, {}),
          ...failures((code) => ON_MODELS.has(code) || code === 'not_found'),
        },
      },
    },
    '/v1/models': {
      ...place,
      get: {
        ...{ operationId: 'v1.models.list', summary: 'List the aliases and models that the key may use', ...common },
        responses: {
          200: answer('v1.models.list', 'The list', models, MODELS_HEADERS),
          ...failures((code) => ON_MODELS.has(code)),
        },
      },
    },
    '/v1/models/{id}': {
      ...place,
      get: {
        ...{ operationId: 'v1.models.get', summary: 'One entry of that list', ...common },
        parameters: [
          { name: 'id', in: 'path', required: true, schema: text, description: 'With its slashes, if any.' },
        ],
        responses: {
          200: answer('v1.models.get', 'The entry', model, MODELS_HEADERS),
          ...failures((code) => ON_MODELS.has(code) || code === 'model_not_found'),
        },
      },
    },
    ...listsInOtherFormat({ place, common, answer }, schemaOf(ContentsError, 'output')),
  }
}

type Answer = (operation: string, description: string, type: z.ZodType, headers: Json) => Json

/** The list as clients with the model in the path read it. */
function listsInOtherFormat(
  { place, common, answer }: { place: Json; common: Json; answer: Answer },
  error: Json,
): Record<string, Json> {
  const get = (id: string, summary: string, parameters: Json[], type: z.ZodType, ...codes: string[]) => {
    const responses = {
      200: answer(id, 'The answer', type, MODELS_HEADERS),
      ...failures((code) => ON_MODELS.has(code) || codes.includes(code), contentsError, error),
    }
    return { ...place, get: { operationId: id, summary, ...common, parameters, responses } }
  }
  const pages = [
    { name: 'pageSize', in: 'query', required: false, schema: { type: 'integer', minimum: 1 } },
    { name: 'pageToken', in: 'query', required: false, schema: text, description: 'The last `nextPageToken`.' },
  ]
  return {
    '/v1beta/models': get(
      'v1beta.models.list',
      'List the models for clients with the model in the path',
      pages,
      ModelList,
    ),
    '/v1beta/models/{model}': get('v1beta.models.get', 'One of them', [MODEL], ListedModel, 'model_not_found'),
  }
}

function serverAt(port: string): Json {
  const host = { default: 'localhost', description: 'As in the address of this page, behind a proxy its own.' }
  return { url: `http://{host}:${port}`, description: 'The port for calls (PORT)', variables: { host } }
}

const STREAM = {
  schema: {
    ...text,
    description:
      'With `stream: true`: server-sent events, each a chunk, then `[DONE]`. The last chunk carries `x_gateway` with ' +
      '`cost_usd`, `usage_source` and what the headers of a whole answer say. An event with `error` ends a cut stream.',
  },
}

const ON_MODELS = new Set(['unauthorized', 'internal_error', 'overloaded'])

const ERROR: Json = { $ref: '#/components/schemas/Error' }

const MODEL = {
  name: 'model',
  in: 'path',
  required: true,
  description: 'An alias or a model, with its slashes, if any.',
  schema: text,
  example: 'fast',
}

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'The same value and body again is never a second charge, for 24 hours.',
  schema: { ...text, pattern: '^[\\x21-\\x7e]{1,255}$' },
}

const ATTRIBUTION = Object.entries({
  session: 'Groups calls in the log and the usage; in a balanced group they begin with the same member.',
  agent: 'The agent of the session that calls; left out by the main one.',
  parent: 'The agent that started it; default: the session.',
  kind: `What the call is within its session: ${CALL_KINDS.join(', ')}.`,
  project: 'What the call is for, as a short name.',
} satisfies Record<keyof CallNames, string>).map(([name, description]) => ({
  name: OWN_HEADERS[name as keyof CallNames],
  in: 'header',
  required: false,
  description,
  schema: name === 'kind' ? { ...text, enum: CALL_KINDS } : { ...text, maxLength: LONGEST_NAME },
}))

/** A response for each status, which names its codes and shows the first of them as this format writes it. */
function failures(isPossible: (code: string) => boolean, format: ErrorFormat = contractError, schema = ERROR): Json {
  const possible = (Object.keys(ERRORS) as ErrorCode[]).filter((code) => !NOT_OF_CALLS.has(code) && isPossible(code))
  const headers = { ...ID_HEADERS, ...ERROR_HEADERS, ...RATE_HEADERS }
  return Object.fromEntries(
    [...Map.groupBy(possible, (code) => ERRORS[code].status)].map(([status, codes]) => {
      const description = codes.map((code) => `\`${code}\`: ${ERRORS[code].text}`).join('\n\n')
      const example = format(new GatewayError(codes[0] ?? 'internal_error'), EXAMPLE_ID).body
      return [status, { description, headers, content: { 'application/json': { schema, example } } }]
    }),
  )
}

const EXAMPLE_ID = 'req_01K9ZB3W5T0000000000000000'
