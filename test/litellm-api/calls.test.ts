import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startGuardrail, verdict } from '../content/guardrail-service.ts'
import { type Harness, hello, KEY, startHarness } from '../harness.ts'
import { managing } from '../management/manage.ts'
import { asking, type Wire } from './ask.ts'

const CONFIG = `
registry:
  - { provider: openai, model: gpt-sim-echo, input_per_mtok: "0.15", output_per_mtok: "0.6", max_output_tokens: 16384 }
  - { provider: openai, model: gpt-sim-503, input_per_mtok: "0.15", output_per_mtok: "0.6", max_output_tokens: 16384 }
workspaces:
  default:
    streaming: true
    routes:
      chat: { chain: [{ provider: openai, model: gpt-sim-echo }] }
      kept: { cache: { ttl_seconds: 3600 }, chain: [{ provider: openai, model: gpt-sim-echo }] }
      second:
        chain:
          - { provider: openai, model: gpt-sim-503, retries: 1 }
          - { provider: openai, model: gpt-sim-echo }
`

let harness: Harness
const send = asking(() => harness)
const chat = (body: Record<string, unknown>, more: Partial<Wire> = {}) =>
  send({ method: 'POST', path: '/v1/chat/completions', body, key: KEY, ...more })

before(async () => {
  // One thread: each would have a response cache of its own.
  harness = await startHarness({ config: CONFIG, environment: { LITELLM_API: 'on', SERVING_THREADS: '1' } })
})
after(() => harness.stop())

describe('paths without /v1, and with the model in the path', () => {
  const chatOf = (path: string, body: object = hello('chat')): Wire => ({ method: 'POST', path, body, key: KEY })
  const table: [wire: Wire, model: string][] = [
    [chatOf('/chat/completions'), 'gpt-sim-echo'],
    [chatOf('/engines/chat/chat/completions', hello('nonsense')), 'gpt-sim-echo'],
    [
      chatOf('/openai/deployments/chat/chat/completions?api-version=2024-06-01', { messages: hello('')['messages'] }),
      'gpt-sim-echo',
    ],
    [chatOf('/embeddings', { model: 'text-embedding-3-small', input: 'a' }), 'text-embedding-3-small'],
    [chatOf('/openai/deployments/text-embedding-3-small/embeddings', { input: 'a' }), 'text-embedding-3-small'],
    [chatOf('/responses', { model: 'chat', input: 'a' }), 'gpt-sim-echo'],
  ]
  for (const [wire, model] of table) {
    test(wire.path, async () => {
      const answer = await send(wire)
      assert.equal(answer.status, 200, answer.text)
      assert.equal(harness.sent().model, model)
    })
  }
  test('GET /models lists what GET /v1/models lists', async () => {
    const [bare, own] = [await send({ method: 'GET', path: '/models', key: KEY }), await harness.get('/v1/models')]
    assert.deepEqual(bare.json, own.json)
  })
})

describe('the key, in any of the headers', () => {
  const table: Record<string, string>[] = [
    { 'x-api-key': KEY },
    { 'api-key': KEY },
    { 'x-litellm-api-key': KEY },
    { 'x-litellm-api-key': `Bearer ${KEY}` },
  ]
  for (const headers of table) {
    test(Object.keys(headers)[0] ?? '', async () => {
      const send = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } }
      const answer = await fetch(`${harness.url}/v1/chat/completions`, { ...send, body: JSON.stringify(hello('chat')) })
      assert.equal(answer.status, 200)
      assert.equal((await fetch(`${harness.url}/v1/models`, { headers })).status, 200)
    })
  }
})

describe('headers of the answer', () => {
  test('cost, key, model and attempts', async () => {
    const limits = { max_budget: 5, rpm_limit: 60, tpm_limit: 100_000 }
    const { json: made } = await send({ method: 'POST', path: '/key/generate', body: limits })
    const first = await chat(hello('second', { max_tokens: 5 }), { key: made.key })
    assert.equal(first.status, 200, first.text)
    const row = await harness.rowOf(first)
    const reported = (name: string) => first.headers.get(`x-litellm-${name}`)
    assert.equal(Number(reported('response-cost')) * 1e12, Number(row['cost_picodollars']))
    assert.equal(reported('key-spend'), reported('response-cost'))
    assert.deepEqual(
      [reported('key-max-budget'), reported('key-rpm-limit'), reported('key-tpm-limit')],
      ['5', '60', '100000'],
    )
    assert.deepEqual([reported('call-id'), reported('model-group')], [row.id, 'second'])
    assert.deepEqual([reported('attempted-fallbacks'), reported('attempted-retries')], ['1', '1'])
    assert.equal(reported('model-api-base'), null)
    const models = await send({ method: 'GET', path: `/model/info?litellm_model_id=${reported('model-id')}` })
    assert.equal(models.json.data[0].litellm_params.model, 'openai/gpt-sim-echo')
    const second = await chat(hello('chat', { max_tokens: 5 }), { key: made.key })
    const sum = Number(reported('response-cost')) + Number(second.headers.get('x-litellm-response-cost'))
    assert.equal(Number(second.headers.get('x-litellm-key-spend')).toFixed(12), sum.toFixed(12))
    const { info } = (await send({ method: 'GET', path: '/key/info', key: made.key })).json
    assert.equal(String(info.spend), String(Number(second.headers.get('x-litellm-key-spend'))))
  })

  test('a failed call has them, and cost nothing', async () => {
    const answer = await chat(hello('gpt-sim-400'))
    assert.equal(answer.status, 400)
    assert.deepEqual(
      [answer.headers.get('x-litellm-response-cost'), answer.headers.get('x-litellm-model-group')],
      ['0', 'gpt-sim-400'],
    )
  })

  test('a stream has them but for the cost', async () => {
    const answer = await fetch(`${harness.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify(hello('chat', { stream: true })),
    })
    await answer.text()
    assert.equal(answer.headers.get('x-litellm-response-cost'), null)
    assert.equal(answer.headers.get('x-litellm-call-id'), answer.headers.get('x-gateway-request-id'))
  })
})

describe('what a body says to LiteLLM', () => {
  test('its own fields do not reach the provider, and are named', async () => {
    const body = hello('chat', { num_retries: 2, fallbacks: ['x'], metadata: { run: '42', list: [1] }, tags: ['ci'] })
    const answer = await chat(body)
    assert.equal(answer.status, 200, answer.text)
    assert.deepEqual(Object.keys(harness.sent()).sort(), ['messages', 'model'])
    assert.equal(answer.headers.get('x-gateway-ignored-params'), 'fallbacks,num_retries')
    assert.deepEqual(JSON.parse(String((await harness.rowOf(answer))['tags'])), { run: '42', tag1: 'ci' })
  })

  test('metadata is sent on with store', async () => {
    await chat(hello('chat', { store: true, metadata: { run: '42' } }))
    assert.deepEqual(harness.sent().metadata, { run: '42' })
  })

  test('a gateway key in metadata does not reach the log', async () => {
    const answer = await chat(hello('chat', { metadata: { oops: KEY, run: '1' } }))
    assert.deepEqual(JSON.parse(String((await harness.rowOf(answer))['tags'])), { run: '1' })
  })

  test('the tags of a guardrail win over it', async (t) => {
    const service = await startGuardrail()
    t.after(() => service.close())
    service.respond = verdict({ action: 'allow', tags: { run: 'known' } })
    const set = (guardrail: object | null) => managing(() => harness)('PATCH', '/workspaces/default', { guardrail })
    assert.equal((await set({ url: service.url, timeout_ms: 30_000 })).status, 200)
    const answer = await chat(hello('chat', { metadata: { run: 'mine', app: 'a' } }))
    assert.equal((await set(null)).status, 200)
    assert.deepEqual(JSON.parse(String((await harness.rowOf(answer))['tags'])), { run: 'known', app: 'a' })
  })

  test('an address or a key of its own is refused', async () => {
    const answer = await chat(hello('chat', { api_base: 'https://elsewhere.example' }))
    assert.deepEqual([answer.status, answer.json.error.code], [400, 'invalid_request'])
  })

  test('no-cache asks again and stores, no-store does neither', async () => {
    const verdict = async (cache?: object) => {
      const answer = await chat(hello('kept', cache === undefined ? {} : { cache }))
      return answer.headers.get('x-gateway-cache')
    }
    assert.equal(await verdict({ 'no-store': true }), 'bypass')
    assert.equal(await verdict(), 'miss')
    assert.equal(await verdict(), 'hit')
    assert.equal(await verdict({ 'no-cache': true }), 'bypass')
  })

  test('the session, in header or body', async () => {
    const inHeader = await chat(hello('chat'), { headers: { 'x-litellm-session-id': 's-1' } })
    const inBody = await chat(hello('chat', { litellm_session_id: 's-2' }))
    const sessions = [await harness.rowOf(inHeader), await harness.rowOf(inBody)].map((row) => row['session'])
    assert.deepEqual(sessions, ['s-1', 's-2'])
  })
})
