import assert from 'node:assert/strict'
import { after, beforeEach, describe, test } from 'node:test'
import { type Harness, type Json, KEY, startHarness } from '../../harness.ts'

const PRICE = 'input_per_mtok: "1", output_per_mtok: "5", max_output_tokens: 4096, context_window: 200000'
const CONFIG = `
workspaces:
  default:
    streaming: true
  off:
    streaming: false
    keys:
      off: { value: "gw_live_off00000000000000000000000000000" }
  tight:
    limits: { budget: { usd: "1", per: total } }
    keys:
      tight: { value: "gw_live_tight000000000000000000000000000" }
registry:
  - { provider: anthropic, model: claude-sim-echo, ${PRICE} }
  - { provider: openai, model: gpt-sim-echo, ${PRICE} }
`
const harness: Harness = await startHarness({ config: CONFIG })
const { simulator } = harness
beforeEach(() => simulator.reset())
after(() => harness.stop())

const hello = { model: 'claude-sim-echo', max_tokens: 64, messages: [{ role: 'user', content: 'ping' }] }

async function post(body: Json, headers: Record<string, string> = {}, path = '/v1/messages') {
  const response = await fetch(harness.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': KEY, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: text.startsWith('{') ? JSON.parse(text) : null,
  }
}

describe('to a provider that speaks it', () => {
  test('bytes pass as they are, but for a model of another name', async () => {
    const body =
      '{ "max_tokens":64,"model" : "claude-sim-echo[1m]",\n "messages":[{"role":"user","content":"\\u0070ing"}], "metadata":{} }'
    assert.equal((await post(body)).status, 200)
    assert.equal(harness.upstream().at(-1)?.rawBody, body.replace('[1m]', ''))
  })

  test('a request passes with its headers; credentials do not', async () => {
    const body = {
      ...hello,
      system: [{ type: 'text', text: 's', cache_control: { type: 'ephemeral' } }],
      metadata: { user_id: 'u' },
    }
    const headers = { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'a-1,b-2', cookie: 'a=b' }
    const { status } = await post(body, headers, '/v1/messages?beta=true')
    assert.equal(status, 200)
    assert.deepEqual(harness.sent(), body)
    const { headers: sent } = harness.upstream().at(-1) ?? {}
    assert.equal(sent?.['anthropic-beta'], 'a-1,b-2')
    assert.equal(sent?.['x-api-key'], 'sk-ant-test-key')
    assert.equal(sent?.['cookie'], undefined)
    assert.equal(sent?.['authorization'], undefined)
  })

  test('large ones too, and their answers', async () => {
    const tools = [
      { name: 'weather', description: 'x'.repeat(200_000), input_schema: { type: 'object', properties: {} } },
    ]
    for (const model of ['claude-sim-tools', 'gpt-sim-tools']) {
      const { json } = await post({ ...hello, model, tools })
      assert.deepEqual([json.model, json.stop_reason, json.content.at(-1).name], [model, 'tool_use', 'weather'])
    }
  })

  test("a long tool's name comes back whole from a large request that was translated", async () => {
    const name = `mcp__${'long'.repeat(25)}`
    const tools = [{ name, description: 'x'.repeat(200_000), input_schema: { type: 'object', properties: {} } }]
    for (const stream of [false, true]) {
      const { text } = await post({ ...hello, model: 'gpt-sim-tools', tools, stream })
      assert.ok(text.includes(JSON.stringify(name)), text)
    }
  })

  test('its own words about a mistake pass unchanged', async () => {
    const { status, json } = await post({ ...hello, messages: [{ role: 'assistant', content: [{ type: 'newer' }] }] })
    assert.equal(status, 400)
    assert.equal(json.error.code, undefined)
    assert.match(json.request_id, /^req_/)
  })
})

test('the row says which format it was, and its cost is in the header and at the end of a stream', async () => {
  for (const model of ['claude-sim-echo', 'gpt-sim-echo']) {
    const { text, headers } = await post({ ...hello, model, stream: true })
    const last = JSON.parse(/event: message_stop\ndata: (.*)\n\n$/.exec(text)?.[1] ?? 'null')
    const row = (await harness.rows()).find(({ id }) => id === headers.get('x-gateway-request-id'))
    assert.equal(row?.['endpoint'], 'messages')
    assert.ok(Number(last.x_gateway.cost_usd) > 0)
  }
})

describe('errors are in this format', () => {
  test('a stream that is off is 501', async () => {
    const { status, json } = await post(
      { ...hello, stream: true },
      { 'x-api-key': 'gw_live_off00000000000000000000000000000' },
    )
    assert.equal(status, 501)
    assert.deepEqual([json.type, json.error.type], ['error', 'invalid_request_error'])
    assert.match(json.error.message, /[Ss]tream/)
  })

  test('a body that is none, a path that is none, no key', async () => {
    const bad = await post('{')
    assert.deepEqual([bad.status, bad.json.error.type], [400, 'invalid_request_error'])
    assert.equal(bad.json.request_id, bad.headers.get('request-id'))
    const nowhere = await post(hello, {}, '/v1/messages/batches')
    assert.deepEqual([nowhere.status, nowhere.json.error.type], [404, 'not_found_error'])
    const keyless = await post(hello, { 'x-api-key': '' })
    assert.deepEqual([keyless.status, keyless.json.error.type], [401, 'authentication_error'])
  })

  test('a budget that is too small says so and is not asked again', async () => {
    const { status, json, headers } = await post({ ...hello, max_tokens: 4_000_000 }, TIGHT)
    assert.deepEqual([status, json.error.type, headers.get('x-should-retry')], [402, 'billing_error', 'false'])
    assert.equal(harness.upstream().length, 0)
  })
})

const TIGHT = { 'x-api-key': 'gw_live_tight000000000000000000000000000' }

test('of two different keys the bearer token is used, and the row says so without either', async () => {
  const other = `gw_live_${'o'.repeat(32)}`
  const both = { authorization: `Bearer ${KEY}`, 'x-api-key': other }
  const served = await post(hello, both)
  const refused = await post({ ...hello, messages: 1 }, both)
  const [same, alone] = [await post(hello, { authorization: `Bearer ${KEY}` }), await post(hello)]
  assert.deepEqual([served.status, refused.status, same.status], [200, 400, 200])
  for (const answer of [served, refused]) {
    const row = await harness.rowOf(answer)
    assert.deepEqual(JSON.parse(String(row['adjustments'])), [
      { field: 'x-api-key', value: null, reason: 'unused_key' },
    ])
    assert.equal(answer.headers.get('x-gateway-adjusted'), 'x-api-key;unused_key')
    assert.doesNotMatch(
      JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? null : value)),
      /gw_live|oooo/,
    )
  }
  for (const answer of [same, alone]) assert.equal((await harness.rowOf(answer))['adjustments'], null)
})

test("under a hard budget the provider's own tools are left out where they have no price", async () => {
  const tools = [{ type: 'web_search_20250305', name: 'web_search' }]
  const answer = await post({ ...hello, tools }, TIGHT)
  assert.equal(answer.status, 200)
  assert.match(answer.headers.get('x-gateway-adjusted') ?? '', /tools\.web_search_20250305;left_out/)
  assert.equal(harness.sent().tools, undefined)
})
