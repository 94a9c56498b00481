import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ADMIN_KEY, type Harness, hello, startHarness, until } from '../harness.ts'
import { wav } from '../sounds.ts'
import { auditOf, managing } from './manage.ts'

const CONFIG = `
workspaces:
  default:
    routes:
      fast: { chain: [{ provider: openai, model: gpt-sim-echo }] }
      broken: { chain: [{ provider: openai, model: gpt-sim-503, retries: 0 }] }
  research: {}
registry:
  - { provider: openai, model: gpt-sim-echo, input_per_mtok: "1", output_per_mtok: "2" }
`

let harness: Harness
let keyId: string
before(async () => {
  harness = await startHarness({ config: CONFIG })
  keyId = await newKey({ name: 'playground' })
})
after(() => harness.stop())

const manage = managing(() => harness)

async function newKey(body: object, workspace = 'default'): Promise<string> {
  return (await manage('POST', `/keys?workspace=${workspace}`, body)).json.id
}

const tried = (body: unknown, key = keyId, headers: Record<string, string> = {}) =>
  manage('POST', `/try?key=${key}`, body, headers)

describe('a call in the name of a key', () => {
  test('is answered, priced and logged as a call of that key', async () => {
    const { status, json, headers } = await tried(hello('fast'))
    assert.deepEqual([status, json.status, json.body.choices[0].message.content], [200, 200, 'hello'])
    assert.deepEqual(
      [json.headers['x-gateway-provider'], json.headers['x-gateway-model'], json.headers['x-gateway-fallback-used']],
      ['openai', 'gpt-sim-echo', 'false'],
    )
    assert.match(json.headers['server-timing'], /upstream;dur=/)
    assert.match(json.headers['x-gateway-cost-usd'], /^0\.\d{6}$/)
    assert.equal(json.headers['content-type'], undefined)
    const id = json.headers['x-gateway-request-id']
    assert.deepEqual([json.body.id, headers.get('x-gateway-request-id')], [id, id])
    const row = (await harness.rows()).find((candidate) => candidate.id === id)
    assert.deepEqual([row?.['key_id'], row?.['route'], row?.status], [keyId, 'fast', 200])
    assert.ok(Number(row?.['cost_picodollars']) > 0)
  })

  test('is one of another endpoint, where it is named', async () => {
    const make = (endpoint: string, body: object) => manage('POST', `/try?key=${keyId}&endpoint=${endpoint}`, body)
    const image = (await make('images', { model: 'openai/gpt-image-2', prompt: 'a boat' })).json
    assert.deepEqual([image.status, image.body.data.length], [200, 1])
    const input_audio = { data: wav(2).toString('base64'), format: 'wav' }
    const heard = { model: 'openai/whisper-1', input_audio, response_format: 'text' }
    const text = (await make('transcriptions', heard)).json
    assert.deepEqual([text.status, typeof text.body], [200, 'string'])
    const endpoints = (await harness.rows()).slice(-2).map((row) => [row['endpoint'], row['key_id']])
    assert.deepEqual(endpoints, [
      ['images', keyId],
      ['transcriptions', keyId],
    ])
    assert.equal((await make('embeddings', {})).status, 400)
  })

  test('shows an error of the call as data', async () => {
    const { status, json } = await tried(hello('broken'))
    assert.deepEqual([status, json.status, json.body.error.code], [200, 503, 'provider_overloaded'])
    for (const [body, code] of [
      [hello('no-such-model'), 'model_not_found'],
      [hello('fast', { stream: true }), 'not_implemented'],
      [{}, 'invalid_request'],
      [null, 'invalid_request'],
    ] as const) {
      const answered = await tried(body)
      assert.deepEqual([answered.status, answered.json.body.error.code], [200, code])
    }
  })

  test('is refused what that key is refused', async () => {
    const bound = await newKey({ name: 'bound', allowed_models: ['fast'] })
    assert.equal((await tried(hello('broken'), bound)).json.body.error.code, 'forbidden')
    const slow = await newKey({ name: 'slow', limits: { rpm: 1 } })
    assert.equal((await tried(hello('fast'), slow)).json.headers['x-ratelimit-remaining-requests'], '0')
    const { json } = await tried(hello('fast'), slow)
    assert.deepEqual([json.status, json.body.error.code], [429, 'key_rate_limited'])
    assert.ok(Number(json.headers['retry-after']) > 0)
    const poor = await newKey({ name: 'poor', limits: { budget: { usd: '0.000000001', per: 'total', mode: 'hard' } } })
    assert.equal((await tried(hello('fast'), poor)).json.status, 402)
  })

  test('takes an Idempotency-Key', async () => {
    const first = await tried(hello('fast'), keyId, { 'idempotency-key': 'once' })
    const again = await tried(hello('fast'), keyId, { 'idempotency-key': 'once' })
    assert.equal(again.json.headers['x-gateway-idempotent-replay'], 'true')
    assert.equal(again.json.headers['x-gateway-request-id'], first.json.headers['x-gateway-request-id'])
  })

  test('does not turn a number out of range into something else', async () => {
    const calls = harness.upstream().length
    const { json } = await tried('{"model":"fast","messages":[{"role":"user","content":"x"}],"metadata":{"a":1e999}}')
    assert.deepEqual([json.status, json.body.error.code, harness.upstream().length], [400, 'invalid_request', calls])
  })

  test('is in the audit list, without what was asked', async () => {
    const watched = await newKey({ name: 'watched' })
    const { json } = await tried({ ...hello('fast'), user: 'somebody' }, watched)
    const [entry] = await auditOf(manage, `keys/${watched}`)
    assert.deepEqual([entry.action, entry.workspace], ['chat.try', 'default'])
    assert.deepEqual(entry.after, { request_id: json.headers['x-gateway-request-id'] })
  })

  test('ends at the provider when the caller leaves', async () => {
    const leaving = new AbortController()
    const call = fetch(`${harness.url}/try?key=${keyId}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify(hello('gpt-sim-hang')),
      signal: leaving.signal,
    }).catch(() => {})
    await until(() => harness.sent()?.model === 'gpt-sim-hang', 'the provider is asked')
    leaving.abort()
    await call
    await until(() => harness.upstream().at(-1)?.outcome === 'aborted', 'the upstream call is ended')
    await until(async () => (await harness.rows()).at(-1)?.code === 'caller_left', 'it is logged')
  })
})

describe('a key that cannot be used', () => {
  test('is 404 when there is none, or in another workspace, or when it is an admin key', async () => {
    const foreign = await newKey({ name: 'foreign' }, 'research')
    const [admin] = (await manage('GET', '/admin-keys')).json.data
    for (const key of ['nothing', foreign, admin.id]) {
      const { status, json } = await tried(hello('fast'), key)
      assert.deepEqual([status, json.error.code], [404, 'not_found'])
      assert.ok(json.error.message.includes(key))
    }
    assert.equal((await manage('POST', `/try?workspace=research&key=${foreign}`, hello('gpt-sim-echo'))).status, 200)
  })

  test('is 409 when it is revoked, expired or paused, and says which', async () => {
    const revoked = await newKey({ name: 'one' })
    await manage('DELETE', `/keys/${revoked}`)
    const paused = await newKey({ name: 'two' })
    await manage('POST', `/keys/${paused}/pause`)
    // However slow the machine, one of these times is still to come when the request arrives.
    let expired: string | undefined
    for (let ms = 50; expired === undefined; ms *= 4) {
      expired = await newKey({ name: `three-${ms}`, expires_at: new Date(Date.now() + ms).toISOString() })
    }
    await until(async () => (await tried(hello('fast'), expired)).status === 409, 'the key expires')
    for (const [key, why] of [
      [revoked, 'revoked'],
      [expired, 'expired'],
      [paused, 'paused'],
    ] as const) {
      const { status, json } = await tried(hello('fast'), key)
      assert.deepEqual([status, json.error.code], [409, 'conflict'])
      assert.ok(json.error.message.includes(` is ${why} `), json.error.message)
    }
  })

  test('and without a key it is 400, with a gateway key 403', async () => {
    assert.equal((await manage('POST', '/try', hello('fast'))).status, 400)
    const headers = { authorization: `Bearer gw_live_test0000000000000000000000000000` }
    assert.equal((await tried(hello('fast'), keyId, headers)).status, 403)
  })
})
