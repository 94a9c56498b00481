import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type Harness, hello, type Json, startHarness, until } from '../harness.ts'
import { managing } from './manage.ts'

const CONFIG = `
providers:
  broken: { family: openai, base_url: "\${SIMULATED}", api_key: secret-of-broken-00000000 }
  idle: { family: openai, base_url: "\${SIMULATED}" }
workspaces:
  default:
    routes:
      failing: { chain: [{ provider: broken, model: gpt-sim-503, retries: 0 }] }
`

let harness: Harness
before(async () => {
  harness = await startHarness({ config: CONFIG, modelsDown: ['anthropic'] })
})
after(() => harness.stop())

const manage = managing(() => harness)
const status = async () => (await manage('GET', '/status')).json
const providerOf = async (name: string) => (await status()).providers.find((provider: Json) => provider.name === name)

test('it says who it is and that it is ready', async () => {
  const { version, node, engine, phase, started_at, uptime_seconds, in_flight, log } = await status()
  assert.match(version, /^\d+\.\d+\.\d+/)
  assert.deepEqual([node, engine, phase, in_flight], [harness.gateway.store.node, 'sqlite', 'ready', 0])
  assert.ok(Date.parse(started_at) <= Date.now() && uptime_seconds >= 0)
  assert.equal(log.last_error, null)
})

test('it names the file that it applies by itself', async () => {
  assert.equal((await status()).config_file, join(harness.folder, 'switchyard.yaml'))
})

test('it says which model lists were read, and why one was not', async () => {
  const { catalog } = await status()
  const [anthropic, openai] = catalog.toSorted((a: Json, b: Json) => (a.provider < b.provider ? -1 : 1))
  assert.deepEqual([anthropic.provider, anthropic.models, anthropic.read_at], ['anthropic', 0, null])
  assert.match(anthropic.problem, /503/)
  assert.deepEqual([openai.provider, openai.problem], ['openai', null])
  assert.ok(openai.models > 0 && Date.parse(openai.read_at) <= Date.now())
})

test('a provider that nobody called has nothing to show', async () => {
  assert.deepEqual(await providerOf('idle'), {
    name: 'idle',
    family: 'openai',
    configured: true,
    circuits: [],
    last_error: null,
    last_success_at: null,
    calls_5m: 0,
    errors_5m: 0,
  })
})

test('successes and callers’ mistakes are calls without an error', async () => {
  assert.equal((await harness.chat(hello('gpt-sim-echo'))).status, 200)
  assert.equal((await harness.chat(hello('gpt-sim-400'))).status, 400)
  const openai = await providerOf('openai')
  assert.deepEqual([openai.calls_5m, openai.errors_5m, openai.last_error], [2, 0, null])
  assert.ok(Date.parse(openai.last_success_at) <= Date.now())
})

test('a failing provider shows its last error and its open circuit', async () => {
  let last = ''
  for (let call = 0; call < 5; call++) {
    const { status: answered, headers } = await harness.chat(hello('failing'))
    assert.equal(answered, 503)
    last = headers.get('x-gateway-request-id') ?? ''
  }
  const broken = await providerOf('broken')
  assert.deepEqual([broken.calls_5m, broken.errors_5m, broken.last_success_at], [5, 5, null])
  const { at, message, ...error } = broken.last_error
  assert.deepEqual(error, { model: 'gpt-sim-503', code: 'provider_overloaded', status: 503, request_id: last })
  assert.ok(Date.parse(at) <= Date.now() && message.length > 0)
  assert.equal(broken.circuits.length, 1)
  assert.deepEqual([broken.circuits[0].model, broken.circuits[0].state], ['gpt-sim-503', 'open'])
  assert.ok(Date.parse(broken.circuits[0].until) > Date.now())
})

test('calls in flight are counted', async () => {
  const leaving = new AbortController()
  const call = fetch(`${harness.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer gw_live_test0000000000000000000000000000', 'content-type': 'application/json' },
    body: JSON.stringify(hello('gpt-sim-hang')),
    signal: leaving.signal,
  }).catch(() => {})
  await until(async () => (await status()).in_flight === 1, 'the call is counted')
  leaving.abort()
  await call
  await until(async () => (await status()).in_flight === 0, 'the call has ended')
})

test('no secret and nothing that a caller wrote is in it', async () => {
  const text = JSON.stringify(await status())
  for (const hidden of ['secret-of-broken', 'sk-test-openai-key', 'sk-ant-test-key', 'hello']) {
    assert.ok(!text.includes(hidden), hidden)
  }
})

test('it takes an admin key', async () => {
  assert.equal((await harness.get('/status')).status, 403)
})
