import assert from 'node:assert/strict'
import { after, afterEach, describe, test } from 'node:test'
import { type Json, KEY, until } from '../../harness.ts'
import { newKey } from '../../limits/limited.ts'
import { openWebSocket } from '../../open-web-socket.ts'
import { NATIVE, startResponses } from './world.ts'

const ROUTES = `
workspaces:
  default:
    routes:
      two: { chain: [{ provider: openai, model: gpt-a, retries: 0 }, { provider: anthropic, model: claude-a, retries: 0 }] }
      falls: { chain: [{ provider: openai, model: gpt-sim-500, retries: 0 }, { provider: anthropic, model: claude-sim-echo }] }
registry:
  - { provider: openai, model: gpt-priced, input_per_mtok: "1", output_per_mtok: "1", max_output_tokens: 4096, context_window: 10000 }
`
const world = await startResponses({ config: `${NATIVE}\n${ROUTES}` })
afterEach(() => until(() => world.simulator.streams.open === 0, 'no stream runs upstream'))
after(() => world.stop())

const user = (text: string) => ({ role: 'user', content: text })
const WEATHER = {
  ...{ type: 'function', name: 'weather', description: 'now', strict: true },
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
}

describe('natively', () => {
  test('the request passes but for its model, the answer but for its own', async () => {
    const text = `{ "input" : [{"role":"user","content":[ {"type":"input_text","text":"hé"} ]}],\n "metadata":{"a":"b"}, "model":"gpt-sim-echo","store":false }`
    const answer = await world.respond(text)
    assert.equal(answer.status, 200, answer.text)
    assert.deepEqual(world.sent(), JSON.parse(text))
    assert.equal(world.upstream().at(-1)?.path, '/v1/responses')
    assert.deepEqual([answer.json.model, answer.json.metadata], ['gpt-sim-echo', { a: 'b' }])
    assert.match(answer.json.id, /^resp_/)
    assert.notEqual(answer.json.id, answer.headers.get('x-gateway-request-id'), "the provider's own id")
    const row = await world.rowOf(answer)
    assert.deepEqual([row['endpoint'], row.status], ['responses', 200])
  })

  test("the provider's words about a mistake pass unchanged", async () => {
    const answer = await world.respond({ model: 'gpt-a', input: [user('x')], max_output_tokens: 'many' })
    assert.equal(answer.status, 400)
    const wrong = await world.respond({ model: 'gpt-a', input: [{ type: 'message', role: 'robot', content: 'x' }] })
    assert.equal(wrong.status, 400)
    assert.equal(wrong.json.error.param, 'input[0].role')
  })

  test('state needs a route of one entry', async () => {
    const body = { input: 'x', previous_response_id: 'resp_0123456789abcdef' }
    const alone = await world.respond({ ...body, model: 'gpt-sim-echo' })
    assert.equal(alone.status, 200, alone.text)
    const chain = await world.respond({ ...body, model: 'two' })
    assert.deepEqual([chain.status, chain.json.error.code], [400, 'unsupported_parameter'])
    assert.match(chain.json.error.message, /previous_response_id: .*send the items/)
  })

  test('a failing entry is followed by a translated one, whole and streamed', async () => {
    for (const stream of [false, true]) {
      const answer = await world.respond({ model: 'falls', input: 'ping', stream })
      assert.equal(answer.status, 200, answer.text)
      assert.equal(answer.headers.get('x-gateway-fallback-used'), 'true')
      assert.match(answer.text, /"text":"ping"/)
    }
  })

  test('a large request and its answer pass too', async () => {
    const long = 'word '.repeat(60_000)
    for (const stream of [false, true]) {
      const answer = await world.respond({ model: 'gpt-sim-echo', input: [user(long)], stream, tools: [WEATHER] })
      assert.equal(answer.status, 200)
      assert.ok(answer.text.length > long.length)
      assert.equal(world.sent().input[0].content, long)
    }
  })
})

describe('servers that speak it in their own way', () => {
  const last = (text: string) =>
    JSON.parse(
      text
        .split('\n')
        .findLast((line) => line.startsWith('data: {'))
        ?.slice(6) ?? '',
    )
  for (const [oddity, type] of [
    ['done-marker', 'completed'],
    ['after-done', 'completed'],
    ['no-event-names', 'completed'],
    ['no-numbers', 'completed'],
    ['unknown-events', 'completed'],
    ['usage-missing', 'completed'],
    ['no-done', 'failed'],
  ] as const) {
    test(`${oddity} is ${type}`, async () => {
      const answer = await world.respond({ model: `gpt-sim-odd-${oddity}`, input: 'x', stream: true })
      assert.equal(answer.status, 200, answer.text)
      assert.equal(last(answer.text).type, `response.${type}`)
      assert.equal(answer.text.match(/^event: response\.(completed|failed)$/gm)?.length, 1)
      const row = await world.rowOf(answer)
      assert.ok(Number(row['completion_tokens']) > 0, 'something is counted')
      assert.equal(row['usage_source'], oddity === 'usage-missing' || oddity === 'no-done' ? 'estimated' : 'provider')
    })
  }
})

describe('translated', () => {
  test('sealed thoughts go back to the model that had them, and to no other', async () => {
    const include = ['reasoning.encrypted_content']
    for (const stream of [false, true]) {
      const body = { model: 'claude-sim-thoughts', input: [user('x')], include, store: false, tools: [WEATHER] }
      const first = await world.respond({ ...body, stream })
      assert.equal(first.status, 200, first.text)
      const output = stream ? completed(first.text).output : first.json.output
      assert.match(output[0].encrypted_content, /^swy1\./)
      const next = (model: string) => world.respond({ ...body, model, input: [user('x'), ...output, user('y')] })
      const second = await next('claude-sim-thoughts')
      assert.equal(second.status, 200, second.text)
      assert.equal(world.sent().messages[1].content[0].type, 'thinking')
      assert.equal(second.headers.get('x-gateway-ignored-params'), null)
      const other = await next('claude-sim-echo')
      assert.equal(other.status, 200, other.text)
      assert.doesNotMatch(JSON.stringify(world.sent()), /"thinking"/)
      assert.match(other.headers.get('x-gateway-ignored-params') ?? '', /input\.reasoning/)
    }
  })

  test('a large request keeps its tools apart', async () => {
    const tools = [{ type: 'custom', name: 'patch', description: 'x'.repeat(150_000) }]
    for (const stream of [false, true]) {
      const answer = await world.respond({ model: 'claude-sim-tools', input: 'x', tools, stream })
      assert.equal(answer.status, 200, answer.text.slice(0, 300))
      const [call] = (stream ? completed(answer.text) : answer.json).output.filter(
        (item: Json) => item.type !== 'message',
      )
      assert.deepEqual([call.type, call.name, typeof call.input], ['custom_tool_call', 'patch', 'string'])
    }
  })

  test('a hosted search is a hint, any other hosted tool is refused', async () => {
    const search = await world.respond({ model: 'claude-sim-echo', input: 'x', tools: [{ type: 'web_search' }] })
    assert.equal(search.status, 200, search.text)
    assert.equal(search.headers.get('x-gateway-ignored-params'), 'tools.web_search')
    const files = await world.respond({ model: 'claude-sim-echo', input: 'x', tools: [{ type: 'file_search' }] })
    assert.deepEqual([files.status, files.json.error.code], [400, 'unsupported_parameter'])
  })
})

function completed(text: string): Json {
  const last = text.split('\n').findLast((line) => line.startsWith('data: ')) ?? ''
  const event = JSON.parse(last.slice('data: '.length))
  assert.equal(event.type, 'response.completed')
  assert.equal(typeof event.x_gateway.cost_usd, 'string')
  return event.response
}

test('a hard budget leaves out what has no known price, and holds a whole window for what the provider keeps', async () => {
  const { headers } = await newKey(world, { budget: { usd: '5', per: 'day', mode: 'hard' } as never })
  const body = { model: 'gpt-priced', input: 'x', max_output_tokens: 100 }
  const held = async (more: object) => {
    const answer = await world.respond({ ...body, ...more }, headers)
    assert.equal(answer.status, 200, answer.text)
    return Number((await world.rowOf(answer))['hold_picodollars'])
  }
  const search = await world.respond({ ...body, tools: [{ type: 'web_search' }] }, headers)
  assert.equal(search.status, 200)
  assert.match(search.headers.get('x-gateway-adjusted') ?? '', /tools\.web_search;left_out/)
  assert.ok((await held({ tools: [WEATHER] })) < 1e10)
  assert.equal(await held({ previous_response_id: 'resp_0123456789abcdef' }), 1e6 * (10_000 + 100))
})

test('kept responses are nowhere, in words', async () => {
  for (const [method, path, words] of [
    ['GET', '/v1/responses/resp_1', /not kept here/],
    ['DELETE', '/v1/responses/resp_1', /not kept here/],
    ['POST', '/v1/responses/resp_1/cancel', /not kept here/],
    ['GET', '/v1/responses/resp_1/input_items', /not kept here/],
    ['POST', '/v1/responses/compact', /compact is not offered/],
  ] as const) {
    const response = await fetch(world.url + path, { method, headers: { authorization: `Bearer ${KEY}` } })
    assert.equal(response.status, 404, path)
    const { error } = (await response.json()) as Json
    assert.equal(error.code, 'not_found')
    assert.match(error.message, words)
  }
})

test('a WebSocket is refused so that the client goes on over HTTP, with a key and without', async () => {
  const before = (await world.rows()).length
  for (const headers of [{}, { authorization: `Bearer ${KEY}` }]) {
    const answer = await openWebSocket(`${world.url}/v1/responses?client=x`, headers)
    assert.deepEqual([answer.status, answer.json.error.code], [426, 'websocket_not_offered'])
    assert.equal(answer.headers.get('upgrade'), 'HTTP/1.1')
  }
  assert.equal((await world.rows()).length, before)
})

test('streams need the switch', async () => {
  const off = await startResponses({ config: NATIVE, environment: { STREAMING: 'off' } })
  try {
    const answer = await off.respond({ model: 'gpt-sim-echo', input: 'x', stream: true })
    assert.deepEqual([answer.status, answer.json.error.code], [501, 'not_implemented'])
  } finally {
    await off.stop()
  }
})

test('a Responses-shaped body on the chat path is answered as chat', async () => {
  for (const model of ['gpt-sim-echo', 'claude-sim-echo']) {
    const whole = await world.chat({ model, input: [user('ping')] })
    assert.equal(whole.status, 200, whole.text)
    assert.equal(whole.json.choices[0].message.content, 'ping')
    const streamed = await world.chat({ model, input: 'ping', stream: true })
    assert.match(streamed.text, /"object":"chat.completion.chunk".*\[DONE\]/s)
    assert.equal((await world.rowOf(streamed))['endpoint'], 'chat')
  }
})
