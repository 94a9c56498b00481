import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { filesUnder } from '../files-under.ts'
import { ADMIN_KEY, type Harness, type Json, KEY, startHarness } from '../harness.ts'

/** Unlike anything else, and shaped like no key: only rules by construction keep it out. */
const CANARY = 'Zq7 the quick canary 5XyW'
const PATHS = ['/v1/chat/completions', '/v1/messages', '/v1/responses', '/v1/embeddings'] as const

/** A provider that repeats what it was sent wherever an error can say something. */
const provider = createServer((request, response) => {
  request.resume().on('end', () => {
    const status = Number(/fail-(\d+)/.exec(request.url ?? '')?.[1] ?? 400)
    const said = { message: `You sent: ${CANARY}`, type: CANARY, code: CANARY, param: CANARY, status: CANARY }
    const body = { type: 'error', error: { ...said, details: [{ reason: CANARY }] }, message: CANARY }
    response.writeHead(status, { 'content-type': 'application/json', 'x-amzn-errortype': CANARY })
    response.end(JSON.stringify(body))
  })
})

const STATUSES = [400, 401, 402, 403, 404, 413, 422, 429, 500, 503]
const FAMILIES = ['openai', 'anthropic', 'gemini'] as const

function config(url: string): string {
  const providers = FAMILIES.flatMap((family) =>
    STATUSES.map(
      (status) =>
        `  ${family}-${status}: { family: ${family}, base_url: "${url}/fail-${status}", api_key: k-${family} }`,
    ),
  )
  const routes = FAMILIES.flatMap((family) =>
    STATUSES.map(
      (status) => `      ${family}-${status}: { chain: [{ provider: ${family}-${status}, model: m, retries: 0 }] }`,
    ),
  )
  return `
providers:
${providers.join('\n')}
workspaces:
  default:
    streaming: true
    routes:
${routes.join('\n')}
      both: { chain: [{ provider: anthropic, model: claude-sim-a, retries: 0 }, { provider: openai, model: gpt-sim-a, retries: 0 }] }
  poor:
    routes: { home: { chain: [{ provider: openai, model: gpt-sim-a }] } }
    keys:
      poor: { value: gw_live_poor000000000000000000000000000, limits: { rpm: 1 } }
`
}

let harness: Harness
before(async () => {
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
  const { port } = provider.address() as AddressInfo
  harness = await startHarness({ config: config(`http://127.0.0.1:${port}`) })
})
after(async () => {
  await harness?.stop()
  provider.closeAllConnections()
  provider.close()
})

function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(harness.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
}

const manage = async (path: string): Promise<Json> =>
  (await fetch(harness.url + path, { headers: { authorization: `Bearer ${ADMIN_KEY}` } })).json()

async function rowOf(response: Response): Promise<Json> {
  await response.text()
  return manage(`/requests/${response.headers.get('x-gateway-request-id')}`)
}

const tool = {
  type: 'function',
  function: { name: 'look', description: 'd', parameters: { type: 'object', $ref: '#/x' } },
}
const call = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{}' } }
/** Bodies with most of what may be sent. */
const BODIES: Record<(typeof PATHS)[number], Json> = {
  '/v1/chat/completions': {
    ...{ temperature: 1, max_tokens: 9, stop: ['a'], n: 1, stream: false, logit_bias: { 5: 1 }, seed: 1 },
    ...{ tools: [tool], tool_choice: { type: 'function', function: { name: 'look' } }, reasoning_effort: 'low' },
    ...{ response_format: { type: 'json_schema', json_schema: { name: 'n', schema: { type: 'object' } } } },
    ...{ service_tier: 'auto', modalities: ['text'], parallel_tool_calls: true },
    messages: [
      { role: 'system', content: 's' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 't' },
          { type: 'image_url', image_url: { url: 'https://a/b.png' } },
        ],
      },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: 'r' },
    ],
  },
  '/v1/messages': {
    ...{ max_tokens: 9, system: [{ type: 'text', text: 's' }], temperature: 1, stop_sequences: ['a'] },
    ...{ tools: [{ name: 'look', description: 'd', input_schema: { type: 'object' } }] },
    ...{ tool_choice: { type: 'tool', name: 'look' }, thinking: { type: 'disabled' } },
    messages: [
      { role: 'user', content: [{ type: 'text', text: 't' }] },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'look', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: 'r' }] },
    ],
  },
  '/v1/responses': {
    ...{
      instructions: 's',
      max_output_tokens: 9,
      tools: [{ type: 'function', name: 'look', parameters: {} }],
      store: false,
    },
    ...{ text: { format: { type: 'text' } }, reasoning: { effort: 'low' }, truncation: 'disabled', include: ['a'] },
    input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 't' }] }],
  },
  '/v1/embeddings': { input: ['a', 'b'], dimensions: 5, encoding_format: 'float' },
}

/** The body once for every place in it, with the canary there: as a text, as a name, inside of an object. */
function* spoiled(body: Json, path: readonly (string | number)[] = []): Generator<Json> {
  const here = path.reduce((value, step) => value?.[step], body)
  if (path.length > 0) for (const value of [CANARY, { [CANARY]: CANARY }]) yield put(body, path, value)
  if (typeof here !== 'object' || here === null) return
  if (!Array.isArray(here)) yield put(body, [...path, CANARY], 1)
  for (const step of Array.isArray(here) ? here.keys() : Object.keys(here)) yield* spoiled(body, [...path, step])
}

function put(body: Json, path: readonly (string | number)[], value: unknown): Json {
  const copy = structuredClone(body)
  const last = path.at(-1) ?? ''
  path.slice(0, -1).reduce((at, step) => at[step], copy)[last] = value
  return copy
}

describe('why a call failed', () => {
  test('a bad field is named, with what is expected', async () => {
    const row = await rowOf(
      await post('/v1/chat/completions', { model: 'gpt-4o', messages: [{ role: 'user', content: 5 }] }),
    )
    assert.equal(row.param, 'messages[0].content')
    assert.equal(row.reason, 'messages[0].content: expected a string or an array of parts with a type')
    const { data } = await manage('/requests?param=messages&reason=ARRAY%20of')
    assert.deepEqual(
      data.map(({ id }: Json) => id),
      [row.id],
    )
    const explained = await manage(`/requests/${row.id}/explain`)
    assert.match(
      explained.steps.at(-1),
      /400 invalid_request, before any provider was called\. messages\[0\]\.content: expected/,
    )
  })

  test('a limit keeps its figures', async () => {
    const body = { model: 'home', messages: [{ role: 'user', content: 'hi' }] }
    const key = { authorization: 'Bearer gw_live_poor000000000000000000000000000' }
    await (await post('/v1/chat/completions', body, key)).text()
    const row = await rowOf(await post('/v1/chat/completions', body, key))
    assert.equal(row.code, 'key_rate_limited')
    assert.match(
      row.reason,
      /^The limit of key 'poor' is 1 requests per minute; 1 are in use\. Retry in \d+ seconds\.$/,
    )
    const { retry_after_seconds: wait, scope_id: _id, ...figures } = row.figures
    assert.ok(wait >= 1)
    assert.deepEqual(figures, { scope: 'key', kind: 'rpm', limit: 1, used: 1, needed: 1 })
  })

  test('of a provider the code is kept, of attempts too, and never its words', async () => {
    const said = { message: 'You sent a secret', type: 'insufficient_quota', code: 'credit_balance_exhausted' }
    harness.simulator.script('gpt-4o', [{ status: 429, body: { error: said } }])
    const row = await rowOf(
      await post('/v1/chat/completions', { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] }),
    )
    assert.equal(row.provider_code, 'credit_balance_exhausted')
    assert.equal(row.attempts[0].provider_code, 'credit_balance_exhausted')
    assert.equal(
      row.reason,
      "The gateway's account at the provider is out of credit. The provider answered HTTP 429; its message is not stored.",
    )
  })
})

test('property: no text of a caller or of a provider reaches database, spool, list, explanation or export', async () => {
  let calls = 0
  const ask = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    calls++
    await (await post(path, body, headers)).text()
  }
  for (const path of PATHS) {
    for (const body of spoiled(BODIES[path]))
      await ask(path, { ...body, model: path === '/v1/embeddings' ? 'gemini-400' : 'both' })
    for (const family of FAMILIES) {
      for (const status of STATUSES) {
        for (const stream of [true, false]) await ask(path, { ...BODIES[path], model: `${family}-${status}`, stream })
      }
    }
    for (const name of [
      'content-type',
      'content-encoding',
      'accept',
      'user-agent',
      'x-other',
      'openai-organization',
      'anthropic-beta',
      'traceparent',
    ]) {
      await ask(path, { ...BODIES[path], model: 'both' }, { [name]: CANARY })
    }
  }
  assert.ok(calls > 500, String(calls))
  const rows = await harness.rows()
  assert.ok(rows.filter(({ code }) => code !== null).length > 200)
  assert.ok(rows.filter(({ reason }) => typeof reason === 'string' && reason !== '').length > 200)
  for (const row of rows) assert.ok(!JSON.stringify(row).includes('canary'), JSON.stringify(row))
  const shown = ['/requests/export', '/requests/export?format=csv', '/requests?limit=100']
  for (const { id } of rows.filter(({ code }) => code !== null).slice(0, 100)) shown.push(`/requests/${id}/explain`)
  for (const path of shown) {
    const answer = await fetch(harness.url + path, { headers: { authorization: `Bearer ${ADMIN_KEY}` } })
    assert.equal(answer.status, 200)
    assert.ok(!(await answer.text()).includes('canary'), path)
  }
  const files = filesUnder(join(harness.folder, 'data'))
  assert.ok(files.length > 1)
  for (const file of files) assert.ok(!readFileSync(file).includes('canary'), file)
})
