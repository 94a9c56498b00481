import assert from 'node:assert/strict'
import { after, beforeEach, describe, test } from 'node:test'
import { startSimulator } from '../../../simulator/simulator.ts'
import { type Harness, hello, type Json, startHarness } from '../../harness.ts'
import { managing } from '../../management/manage.ts'
import { post } from '../gemini/world.ts'
import { callerOf } from '../streams/world.ts'
import { startCloud } from './cloud.ts'

const vendors = await startSimulator()
const cloud = await startCloud(vendors)
const MODELS = ['gemini-3.5-flash-sim-echo', 'gemini-9-flash-sim-echo', 'claude-sim-echo', 'meta/gpt-sim-echo']
const config = `
providers:
  cloud:
    family: vertex
    base_url: ${cloud.url}
    settings: { project: my-project, location: us-central1 }
    credentials: { service_account: '${cloud.serviceAccount()}' }
  other: { family: vertex, base_url: ${cloud.url}, settings: { project: my-project, location: us-central1 }, credentials: { service_account: '${cloud.serviceAccount()}' } }
  slow: { family: vertex, base_url: ${cloud.url}, settings: { project: my-project, location: us-central1 }, credentials: { service_account: '${cloud.serviceAccount()}' } }
workspaces:
  default:
    streaming: true
    routes:
      hasty: { chain: [{ provider: slow, model: gemini-3.5-flash-sim-echo, retries: 0, timeout_ms: 1000 }] }
      other: { chain: [{ provider: other, model: gemini-3.5-flash-sim-echo, retries: 0 }] }
${MODELS.map((model) => `      ${model.replace('/', '-')}: { chain: [{ provider: cloud, model: "${model}", retries: 0 }] }`).join('\n')}
`
let clock = Date.now()
const harness: Harness = await startHarness({ config, now: () => clock })
beforeEach(() => {
  cloud.calls.length = 0
})
after(async () => {
  await harness.stop()
  await cloud.close()
  await vendors.close()
})
const PLACE = '/v1/projects/my-project/locations/us-central1'

describe('a call with a token', () => {
  test('serves models of each publisher at its path, with one token for all', async () => {
    for (const [model, path] of [
      ['gemini-3.5-flash-sim-echo', 'publishers/google/models/gemini-3.5-flash-sim-echo:generateContent'],
      ['claude-sim-echo', 'publishers/anthropic/models/claude-sim-echo:rawPredict'],
      ['meta-gpt-sim-echo', 'endpoints/openapi/chat/completions'],
    ] as const) {
      const answer = await harness.chat(hello(model, { max_tokens: 50 }))
      assert.equal(answer.status, 200, answer.text)
      assert.equal(answer.json.choices[0].message.content, 'hello')
      const call = cloud.calls.at(-1)
      assert.deepEqual([call?.path, call?.headers.authorization], [`${PLACE}/${path}`, `Bearer ${cloud.tokens[0]}`])
    }
    assert.equal(cloud.tokens.length, 1)
  })

  test('streams all of them', async () => {
    for (const model of ['gemini-3.5-flash-sim-echo', 'claude-sim-echo', 'meta-gpt-sim-echo']) {
      const caller = callerOf(harness.url, { ...hello(model), max_tokens: 50 }, {})
      assert.ok(await caller.ended)
      assert.equal(caller.said(), 'hello', caller.text())
      assert.ok(caller.isDone())
    }
  })

  test('speaks the Messages API with Claude, with betas, and counts tokens', async () => {
    const body = { model: 'claude-sim-echo', max_tokens: 64, messages: [{ role: 'user', content: 'ping' }] }
    const response = await fetch(`${harness.url}/v1/messages`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-api-key': 'gw_live_test0000000000000000000000000000',
        'anthropic-beta': 'a-1',
        'anthropic-version': '2023-06-01',
      },
      body: JSON.stringify(body),
    })
    const message = (await response.json()) as Json
    assert.equal(message.content.at(-1).text, 'ping', JSON.stringify(message))
    assert.equal(message.model, 'claude-sim-echo')
    const [call] = cloud.calls
    assert.deepEqual([call?.headers['anthropic-beta'], call?.headers['anthropic-version']], ['a-1', undefined])
    const { max_tokens: _, ...counted } = body
    const count = await post(harness.url, '/v1/messages/count_tokens', counted)
    assert.ok(JSON.parse(count.text).input_tokens > 0, count.text)
  })
})

test('a beta that is refused by name is left out, and remembered', async () => {
  const body = { model: 'claude-sim-echo', max_tokens: 64, messages: [{ role: 'user', content: 'ping' }] }
  const ask = () =>
    fetch(`${harness.url}/v1/messages`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-api-key': 'gw_live_test0000000000000000000000000000',
        'anthropic-beta': 'unknown-a-2026-01-01,a-1',
      },
      body: JSON.stringify(body),
    })
  const betas = () => cloud.calls.map(({ headers }) => headers['anthropic-beta'])
  const first = await ask()
  assert.equal(first.status, 200)
  assert.deepEqual(betas(), ['unknown-a-2026-01-01,a-1', 'a-1'])
  const told = 'anthropic-beta=unknown-a-2026-01-01;refused'
  assert.equal(first.headers.get('x-gateway-adjusted'), told)
  const second = await ask()
  assert.equal(second.status, 200)
  assert.deepEqual(betas().slice(2), ['a-1'], 'the next call does not send it')
  assert.equal(second.headers.get('x-gateway-adjusted'), told)
})

test('betas that are known to be refused are not sent even once', async () => {
  const response = await fetch(`${harness.url}/v1/messages`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-api-key': 'gw_live_test0000000000000000000000000000',
      'anthropic-beta': 'prompt-caching-scope-2026-01-05,advanced-tool-use-2025-11-20, a-1',
    },
    body: JSON.stringify({
      model: 'claude-sim-echo',
      max_tokens: 64,
      messages: [{ role: 'user', content: 'ping' }],
      speed: 'fast',
    }),
  })
  assert.equal(response.status, 200, await response.text())
  const [call] = cloud.calls
  assert.equal(call?.headers['anthropic-beta'], 'tool-search-tool-2025-10-19,a-1')
  assert.equal('speed' in (call?.body ?? {}), false)
  const told = [
    'speed;refused',
    'anthropic-beta=prompt-caching-scope-2026-01-05;refused',
    'anthropic-beta=tool-search-tool-2025-10-19;renamed;from=advanced-tool-use-2025-11-20',
  ]
  assert.equal(response.headers.get('x-gateway-adjusted'), told.join(', '))
})

test('a token that is refused is fetched anew in the same call, also where nothing is retried', async () => {
  for (const [model, stream] of [
    ['gemini-9-flash-sim-echo', false],
    ['claude-sim-echo', true],
  ] as const) {
    clock += 120_000
    cloud.expire()
    const before = cloud.tokens.length
    const served = await harness.chat(hello(model, { stream, max_tokens: 50 }))
    assert.equal(served.status, 200, served.text)
    assert.equal(cloud.tokens.length, before + 1)
    const attempts: Json[] = JSON.parse(String((await harness.rowOf(served))['attempts']))
    assert.deepEqual(
      attempts.map(({ status, code, reason }) => [status, code, reason]),
      [
        [401, 'provider_auth_error', 'provider_auth_error: asked again with a new token'],
        [200, null, 'served'],
      ],
    )
  }
})

test('calls that are refused together are served with one new token', async () => {
  clock += 120_000
  cloud.expire()
  const before = cloud.tokens.length
  const calls = await Promise.all(Array.from({ length: 8 }, () => harness.chat(hello('gemini-9-flash-sim-echo'))))
  for (const { status, text } of calls) assert.equal(status, 200, text)
  assert.equal(cloud.tokens.length, before + 1)
})

test('what keeps a token from us is told to the operator, by a test of the provider too', async () => {
  const description = 'Invalid JWT: Check your iat and exp values in the JWT claim.'
  cloud.refuseTokens({ error: 'invalid_grant', error_description: description })
  const failed = await harness.chat(hello('other'))
  assert.deepEqual([failed.status, failed.json.error.code], [502, 'provider_auth_error'])
  const { ok, message } = (await managing(() => harness)('POST', '/providers/other/test')).json
  assert.equal(ok, false)
  assert.match(message, /The clock of this machine is off the provider's/)
  cloud.refuseTokens(null)
  assert.equal((await harness.chat(hello('other'))).status, 200)
  assert.equal(cloud.calls.length, 1, 'without a token nothing was sent')
})

test('a token server that hangs is a timeout, after the time that the entry has', async () => {
  cloud.hangTokens(true)
  for (const stream of [false, true]) {
    const failed = await harness.chat(hello('hasty', { stream }))
    assert.deepEqual([failed.status, failed.json.error.code], [504, 'upstream_timeout'], failed.text)
    assert.match(failed.json.error.message, /issues the provider's token did not answer in time/)
  }
  cloud.hangTokens(false)
  assert.equal(cloud.calls.length, 0, 'without a token nothing was sent')
})
