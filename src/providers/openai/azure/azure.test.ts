import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Provider } from '../../../domain/provider.ts'
import { AuthorizationError, type OutgoingRequest, type TokenTools } from '../../authorization.ts'
import { PROVIDER_KINDS } from '../../provider-kinds.ts'
import { openaiFamily } from '../openai-family.ts'

const provider: Provider = {
  name: 'az',
  family: 'openai',
  preset: 'azure',
  baseUrl: 'https://res.openai.azure.com',
  apiKey: 'the-key-of-azure',
  headers: {},
  onCallerLeft: 'abort',
}
const DATED = { path_style: 'azure_deployment', api_version: '2024-10-21' }

type Endpoint = 'chat' | 'embeddings' | 'responses'
const ADDRESSES: [
  what: string,
  baseUrl: string,
  settings: object | undefined,
  endpoint: Endpoint | 'models',
  url: string,
][] = [
  ['v1', 'https://r.openai.azure.com', undefined, 'chat', 'https://r.openai.azure.com/openai/v1/chat/completions'],
  [
    'v1, written out',
    'https://r.openai.azure.com/openai/v1/',
    undefined,
    'responses',
    'https://r.openai.azure.com/openai/v1/responses',
  ],
  [
    'v1 of a project',
    'https://r.services.ai.azure.com',
    undefined,
    'embeddings',
    'https://r.services.ai.azure.com/openai/v1/embeddings',
  ],
  [
    'v1 with a version',
    'https://r.openai.azure.com',
    { api_version: 'preview' },
    'models',
    'https://r.openai.azure.com/openai/v1/models?api-version=preview',
  ],
  [
    'dated',
    'https://r.openai.azure.com/openai',
    DATED,
    'chat',
    'https://r.openai.azure.com/openai/deployments/my%20model/chat/completions?api-version=2024-10-21',
  ],
  [
    'dated',
    'https://r.openai.azure.com',
    DATED,
    'embeddings',
    'https://r.openai.azure.com/openai/deployments/my%20model/embeddings?api-version=2024-10-21',
  ],
  [
    'dated',
    'https://r.openai.azure.com',
    DATED,
    'responses',
    'https://r.openai.azure.com/openai/responses?api-version=2024-10-21',
  ],
  [
    'dated',
    'https://r.openai.azure.com',
    DATED,
    'models',
    'https://r.openai.azure.com/openai/models?api-version=2024-10-21',
  ],
]
describe('the address of', () => {
  for (const [what, baseUrl, settings, endpoint, url] of ADDRESSES) {
    test(`${endpoint}, ${what}, from ${baseUrl}`, () => {
      const row: Provider = { ...provider, baseUrl, ...(settings === undefined ? {} : { settings: { ...settings } }) }
      const translators = openaiFamily.translatorsFor?.('my model', row)
      const target =
        endpoint === 'models' ? openaiFamily.modelsTarget(row, null) : translators?.[endpoint]?.target(row, 'my model')
      assert.equal(target?.url, url)
      assert.equal(target?.headers['api-key'], 'the-key-of-azure')
      assert.equal(target?.headers['authorization'], undefined)
      if (endpoint === 'chat') assert.equal(translators?.chat?.namesModel ?? false, what === 'dated')
    })
  }

  test('responses are spoken there, without a word of the operator', () => {
    assert.equal(openaiFamily.translatorsFor?.('m', provider).responses?.isSpokenBy?.(provider), true)
    const groq = { baseUrl: null, preset: 'groq' }
    assert.equal(openaiFamily.translatorsFor?.('m', groq).responses?.isSpokenBy?.(groq), false)
  })
})

const filtered = {
  error: {
    message: "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
    code: null,
    status: 400,
    innererror: { code: 'ResponsibleAIPolicyViolation', content_filter_result: {} },
  },
}
const FAILURES: [status: number, body: unknown, code: string, next: string, retry: string][] = [
  [400, filtered, 'content_filtered', 'none', 'no'],
  [
    400,
    { error: { ...filtered.error, innererror: undefined, code: 'content_filter' } },
    'content_filtered',
    'none',
    'no',
  ],
  [400, { error: { code: 'context_length_exceeded', message: 'x' } }, 'context_length_exceeded', 'larger-window', 'no'],
  [400, { error: { code: 'unsupported_parameter', message: 'x' } }, 'unsupported_parameter', 'none', 'no'],
  [401, { error: { code: '401', message: 'Access denied' } }, 'provider_auth_error', 'any', 'new-token'],
  [
    401,
    { statusCode: 401, message: 'Unauthorized. Access token is missing, invalid or expired.' },
    'provider_auth_error',
    'any',
    'new-token',
  ],
  [
    403,
    { error: { code: '403', message: 'Access denied due to Virtual Network/Firewall rules.' } },
    'provider_auth_error',
    'any',
    'no',
  ],
  [
    404,
    { error: { code: 'DeploymentNotFound', message: 'The API deployment for this resource does not exist.' } },
    'model_not_found',
    'any',
    'no',
  ],
  [404, { error: { code: '404', message: 'Resource not found' } }, 'model_not_found', 'any', 'no'],
  [408, { error: { code: 'Timeout', message: 'x' } }, 'upstream_error', 'any', 'yes'],
  [429, { error: { code: '429', message: 'exceeded token rate limit' } }, 'rate_limited', 'any', 'short-wait'],
  [500, { error: { code: 'InternalServerError', message: 'x' } }, 'upstream_error', 'any', 'yes'],
  [503, { error: { code: 'ServiceUnavailable', message: 'x' } }, 'provider_overloaded', 'any', 'yes'],
]
for (const [status, body, code, next, retry] of FAILURES) {
  test(`an error: ${status} ${JSON.stringify(body).slice(0, 80)}`, () => {
    const failed = openaiFamily.failureFromWire(status, body)
    assert.deepEqual([failed.code, failed.next, failed.retry], [code, next, retry])
    if (status === 404) assert.match(failed.message, /no deployment has this name, or the path or the api-version/)
  })
}

const ENTRA = { auth: 'entra', tenant_id: 'tenant', client_id: 'client' }
const PROBLEMS: [settings: object, credentials: object | undefined, problem: RegExp | null][] = [
  [{}, undefined, null],
  [{ path_style: 'azure_deployment' }, undefined, /^settings\.api_version: /],
  [{ auth: 'entra', tenant_id: 't' }, { client_secret: 's' }, /^settings\.client_id: /],
  [ENTRA, undefined, /^credentials\.client_secret: /],
  [ENTRA, { client_secret: 's' }, null],
  [ENTRA, { password: 's' }, /^credentials\.password: /],
  [{}, { client_secret: 's' }, /^settings\.auth: entra/],
  [{ tenant_id: 't' }, undefined, /^settings\.auth: entra or managed_identity/],
  [{ auth: 'managed_identity', client_id: 'c' }, undefined, null],
  [{ api_versions: 'x' }, undefined, /^settings: unknown field "api_versions"/],
  [{ drop_params: ['messages'] }, undefined, /^settings\.drop_params/],
]
for (const [settings, credentials, problem] of PROBLEMS) {
  test(`a row with ${JSON.stringify(settings)} and ${JSON.stringify(credentials)}`, () => {
    const row = { ...provider, settings, ...(credentials === undefined ? {} : { credentials }) } as Provider
    const said = PROVIDER_KINDS.problemOf(row)
    if (problem === null) assert.equal(said, null)
    else assert.match(said ?? '', problem)
  })
}

const entra: Provider = { ...provider, settings: ENTRA, credentials: { client_secret: 'the secret & more' } }
const machine: Provider = { ...provider, apiKey: null, settings: { auth: 'managed_identity', client_id: 'c1' } }

async function asked(
  row: Provider,
  reply: { status: number; body: unknown },
  environment: TokenTools['environment'] = {},
) {
  const requests: OutgoingRequest[] = []
  const tools: TokenTools = {
    now: () => 1_000_000,
    environment,
    readFile: () => Promise.reject(new Error('no file is read')),
    async request(request) {
      requests.push(request)
      return { status: reply.status, text: typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body) }
    },
  }
  const token = await openaiFamily.authorization?.fetchToken?.(row, tools)
  return { token, request: requests[0] }
}

describe('a token', () => {
  test('of an application is asked for with its secret, in the body', async () => {
    const { token, request } = await asked(entra, { status: 200, body: { access_token: 'jwt', expires_in: 3599 } })
    assert.equal(request?.url, 'https://login.microsoftonline.com/tenant/oauth2/v2.0/token')
    assert.deepEqual(Object.fromEntries(new URLSearchParams(String(request?.body))), {
      grant_type: 'client_credentials',
      client_id: 'client',
      client_secret: 'the secret & more',
      scope: 'https://cognitiveservices.azure.com/.default',
    })
    assert.deepEqual(token, { values: { access_token: 'jwt' }, expiresAt: 1_000_000 + 3_599_000 })
  })

  test('of a machine comes from its metadata server, never through a proxy', async () => {
    const { request, token } = await asked(machine, { status: 200, body: { access_token: 'jwt', expires_in: '60' } })
    const url = new URL(request?.url ?? '')
    assert.equal(url.origin + url.pathname, 'http://169.254.169.254/metadata/identity/oauth2/token')
    assert.deepEqual(Object.fromEntries(url.searchParams), {
      'api-version': '2018-02-01',
      resource: 'https://cognitiveservices.azure.com',
      client_id: 'c1',
    })
    assert.deepEqual([request?.headers, request?.isInternal, request?.proxy], [{ metadata: 'true' }, true, ''])
    assert.equal(token?.expiresAt, 1_060_000)
  })

  test('of an app comes from the endpoint in its environment', async () => {
    const environment = { IDENTITY_ENDPOINT: 'http://localhost:41/msi/token', IDENTITY_HEADER: 'h' }
    const reply = { status: 200, body: { access_token: 'jwt', expires_on: '2000' } }
    const { request, token } = await asked(machine, reply, environment)
    assert.match(request?.url ?? '', /^http:\/\/localhost:41\/msi\/token\?api-version=2019-08-01&/)
    assert.deepEqual(request?.headers, { 'x-identity-header': 'h' })
    assert.equal(token?.expiresAt, 2_000_000)
  })

  test('is shown in place of a key', async () => {
    const { headers } = openaiFamily.modelsTarget(entra, null)
    assert.equal(JSON.stringify(headers).includes('the-key'), false)
    const proof = await openaiFamily.authorization?.headers(
      { method: 'POST', url: 'https://x/', headers: {}, body: null },
      entra,
      { values: { access_token: 'jwt' }, expiresAt: null },
      0,
    )
    assert.deepEqual(proof, { authorization: 'Bearer jwt' })
    assert.equal(openaiFamily.authorization?.appliesTo(provider), false)
  })

  const REFUSALS: [status: number, body: unknown, words: RegExp][] = [
    [
      401,
      { error: 'invalid_client', error_description: 'AADSTS7000215: Invalid client secret the secret & more' },
      /AADSTS7000215\): the client secret is wrong/,
    ],
    [401, { error: 'invalid_client', error_description: 'AADSTS7000222: expired' }, /has expired/],
    [400, { error: 'unauthorized_client', error_description: 'AADSTS700016: not found' }, /client_id/],
    [400, { error: 'invalid_request', error_description: 'AADSTS90002: Tenant' }, /tenant_id/],
    [400, { error: 'invalid_resource', error_description: 'AADSTS500011: x' }, /token_scope/],
    [400, { error: 'invalid_request', error_description: 'Identity not found' }, /assign one/],
    [500, '<html>', /HTTP 500.*cannot be read/],
    [200, { error: 'odd' }, /it says odd/],
  ]
  for (const [status, body, words] of REFUSALS) {
    test(`that is refused: ${JSON.stringify(body).slice(0, 60)}`, async () => {
      const error = await asked(entra, { status, body }).catch((thrown: unknown) => thrown)
      assert.ok(error instanceof AuthorizationError)
      assert.match(error.message, words)
      assert.equal(error.message.includes('secret & more'), false)
    })
  }
})
