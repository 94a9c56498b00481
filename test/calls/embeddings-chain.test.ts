import assert from 'node:assert/strict'
import { after, afterEach, beforeEach, describe, test } from 'node:test'
import { embeddingOf } from '../../simulator/openai/embeddings.ts'
import { type Answered, type Harness, hello, type Json, KEY, startHarness, until } from '../harness.ts'
import { assertVerified, hard, mostUsed, newKey, statuses, statusOf } from '../limits/limited.ts'
import { managing } from '../management/manage.ts'

const SMALL = 'text-embedding-3-small'
/** Picodollars a token: 0.02 dollars a million. */
const PRICE = 20_000n

const CONFIG = `
providers:
  local: { family: openai, base_url: \${SIMULATED}, api_key: local-key }
workspaces:
  default:
    routes:
      same: { chain: [{ provider: openai, model: ${SMALL}, retries: 0 }, { provider: local, model: ${SMALL} }] }
      mixed: { chain: [{ provider: openai, model: ${SMALL}, retries: 0 }, { provider: local, model: nomic-embed-text }] }
      alike:
        interchangeable: true
        chain: [{ provider: openai, model: ${SMALL}, retries: 0 }, { provider: local, model: nomic-embed-text }]
      # The vendor's name says nothing of what it is for.
      either: { chain: [{ provider: local, model: any-embed }] }
registry:
  - { provider: local, model: ${SMALL}, mode: embedding, input_per_mtok: "0.02", output_per_mtok: "0" }
`

const harness: Harness = await startHarness({ config: CONFIG })
const { embed, simulator } = harness
beforeEach(() => simulator.reset())
afterEach(() => simulator.release())
after(() => harness.stop())

/** The shortest wait a provider can ask for. */
const SOON = { 'retry-after-ms': '1' }
const attemptsOf = async (answer: Answered): Promise<Json[]> =>
  JSON.parse(String((await harness.rowOf(answer))['attempts']))

describe('a provider that fails', () => {
  for (const status of [500, 429]) {
    test(`with ${status} is asked again`, async () => {
      simulator.script(SMALL, [
        { status, headers: SOON },
        { status, headers: SOON },
      ])
      const answer = await embed({ model: SMALL, input: 'x' })
      assert.equal(answer.status, 200, answer.text)
      assert.equal(answer.headers.get('x-gateway-fallback-used'), 'false')
      assert.equal(harness.upstream().length, 3)
      assert.equal((await attemptsOf(answer)).length, 3)
    })
  }

  for (const [scenario, status, code] of [
    ['html', 502, 'upstream_error'],
    ['empty', 502, 'upstream_error'],
    ['cut', 502, 'upstream_error'],
    ['error-200', 502, 'upstream_error'],
    ['context', 400, 'context_length_exceeded'],
    ['401', 502, 'provider_auth_error'],
  ] as const) {
    test(`with ${scenario} is ${status} ${code}`, async () => {
      const answer = await embed({ model: `text-embedding-sim-${scenario}`, input: 'x' })
      assert.deepEqual([answer.status, answer.json.error.code], [status, code])
      assert.equal((await harness.rowOf(answer))['cost_picodollars'], null)
    })
  }

  test('is followed by the same model at another provider', async () => {
    simulator.script(SMALL, [{ status: 500 }])
    const answer = await embed({ model: 'same', input: 'hello' })
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.headers.get('x-gateway-provider'), 'local')
    assert.equal(answer.headers.get('x-gateway-fallback-used'), 'true')
    assert.deepEqual(answer.json.data[0].embedding, embeddingOf(SMALL, 'hello', 1536))
  })

  test('is not followed by another model: the row says why it was skipped', async () => {
    simulator.script(SMALL, [{ status: 500 }])
    const answer = await embed({ model: 'mixed', input: 'hello' })
    assert.deepEqual([answer.status, answer.json.error.code], [502, 'upstream_error'])
    const skipped = (await attemptsOf(answer)).find(({ kind }) => kind === 'skipped')
    assert.deepEqual([skipped?.provider, skipped?.model], ['local', 'nomic-embed-text'])
    assert.match(skipped?.reason, /not comparable/)
    assert.deepEqual(
      harness.upstream().map(({ model }) => model),
      [SMALL],
    )
  })

  test('is followed by another model where the route says that they are interchangeable', async () => {
    simulator.script(SMALL, [{ status: 500 }])
    const answer = await embed({ model: 'alike', input: 'hello' })
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.headers.get('x-gateway-model'), 'nomic-embed-text')
    assert.equal(answer.headers.get('x-gateway-fallback-used'), 'true')
    assert.equal(answer.json.model, 'alike')
  })
})

test('the management API keeps whether the models of a route are interchangeable', async () => {
  const manage = managing(() => harness)
  const chain = [{ provider: 'openai', model: SMALL }]
  await manage('PUT', '/routes/kept', { chain, interchangeable: true })
  assert.equal((await manage('GET', '/routes/kept')).json.interchangeable, true)
  await manage('PUT', '/routes/kept', { chain })
  assert.notEqual((await manage('GET', '/routes/kept')).json.interchangeable, true)
})

describe('a hard budget', () => {
  const ample = hard(1_000_000_000_000n)
  const holdOf = async (answer: Answered) => BigInt(String((await harness.rowOf(answer))['hold_picodollars']))

  for (const [what, input, tokens, inputs] of [
    ['the bytes of a text', 'zwölf 三', 10, 1],
    ['the bytes of all texts', ['zwölf', '三'], 9, 2],
    ['each token of a list', [5, 6, 7], 3, 1],
    ['each token of all lists', [[500_000, 6], [7]], 3, 2],
  ] as const) {
    test(`holds ${what}, and at most four tokens an input more`, async () => {
      const key = await newKey(harness, ample)
      const answer = await embed({ model: SMALL, input }, key.headers)
      assert.equal(answer.status, 200, answer.text)
      const held = await holdOf(answer)
      assert.ok(held >= BigInt(tokens) * PRICE, `${held}`)
      assert.ok(held <= BigInt(tokens + 4 * inputs) * PRICE, `${held}`)
    })
  }

  test('of a large request is held for in the same way', async () => {
    const key = await newKey(harness, ample)
    const input = Array.from({ length: 100 }, (_, index) => `${index} `.padEnd(3_000, 'ö'))
    const bytes = BigInt(Buffer.byteLength(input.join('')))
    const answer = await embed({ model: SMALL, input }, key.headers)
    assert.equal(answer.status, 200, answer.text.slice(0, 300))
    const held = await holdOf(answer)
    assert.ok(held >= bytes * PRICE && held <= (bytes + 400n) * PRICE, `${held}`)
  })

  test('that is too small is 402 before anything is sent', async () => {
    const key = await newKey(harness, hard(99n * PRICE))
    const answer = await embed({ model: SMALL, input: 'x'.repeat(100) }, key.headers)
    assert.deepEqual([answer.status, answer.json.error.code], [402, 'budget_exceeded'], answer.text)
    assert.equal(harness.upstream().length, 0)
    assert.equal((await harness.rowOf(answer)).code, 'budget_exceeded')
    assert.equal((await embed({ model: SMALL, input: 'x'.repeat(50) }, key.headers)).status, 200)
  })

  test('is never exceeded by many at once', async () => {
    const key = await newKey(harness, ample)
    const ask = () => embed({ model: SMALL, input: 'hello there' }, key.headers)
    const held = await holdOf(await ask())
    const spent = (await statusOf(harness, key.scope)).periods.total.spent
    const budget = spent + held * 5n
    await key.limit(hard(budget))
    simulator.reset()
    const [answers, most] = await mostUsed(harness, key.scope, async () => {
      simulator.hold()
      let refused = 0
      const asked = Array.from({ length: 40 }, async () => {
        const answer = await ask()
        if (answer.status === 402) refused++
        return answer
      })
      await until(() => refused === 35, 'all but five are refused')
      simulator.release()
      return Promise.all(asked)
    })
    assert.deepEqual(statuses(answers), { 200: 5, 402: 35 })
    assert.equal(harness.upstream().length, 5)
    assert.ok(most <= budget, `${most} of ${budget}`)
    await assertVerified(harness)
  })

  test('binds what a provider without a count is estimated at', async () => {
    const key = await newKey(harness, ample)
    simulator.script(SMALL, [{ body: { data: [] } }])
    await embed({ model: SMALL, input: 'x'.repeat(4_000) }, key.headers)
    // The first answer had nothing in it: it may be billed with all that was held.
    assert.equal((await statusOf(harness, key.scope)).periods.total.spent, (1_000n + 4_004n) * PRICE)
    await assertVerified(harness)
  })
})

test('a key may be bound to other models', async () => {
  const manage = managing(() => harness)
  const { json } = await manage('POST', '/keys', { name: 'bound', allowed_models: ['same'] })
  const headers = { authorization: `Bearer ${json.value}` }
  const refused = await embed({ model: SMALL, input: 'x' }, headers)
  assert.deepEqual([refused.status, refused.json.error.code], [403, 'forbidden'])
  assert.equal(harness.upstream().length, 0)
  assert.equal((await embed({ model: 'same', input: 'x' }, headers)).status, 200)
})

describe('an Idempotency-Key', () => {
  test('makes one call of two requests', async () => {
    const headers = { 'idempotency-key': 'embeddings-1' }
    const first = await embed({ model: SMALL, input: 'hello' }, headers)
    const second = await embed({ model: SMALL, input: 'hello' }, headers)
    assert.equal(second.text, first.text)
    assert.equal(second.headers.get('x-gateway-idempotent-replay'), 'true')
    assert.equal(second.headers.get('x-gateway-request-id'), first.headers.get('x-gateway-request-id'))
    assert.equal(harness.upstream().length, 1)
    assert.equal((await embed({ model: SMALL, input: 'other' }, headers)).status, 409)
  })

  test('does not answer a chat with embeddings, though the body is the same', async () => {
    const headers = { 'idempotency-key': 'embeddings-2' }
    const body = hello('either', { input: 'hello' })
    assert.equal((await embed(body, headers)).json.object, 'list')
    const answer = await harness.chat(body, headers)
    assert.deepEqual([answer.status, answer.json.error?.code], [409, 'conflict'], answer.text.slice(0, 300))
  })
})

test('a caller who leaves ends the call at the provider', async () => {
  simulator.hold()
  const leaving = new AbortController()
  const gone = fetch(`${harness.url}/v1/embeddings`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'same', input: 'x' }),
    signal: leaving.signal,
  }).catch(() => undefined)
  await until(() => harness.upstream().length === 1, 'the provider is asked')
  leaving.abort()
  await gone
  await until(() => harness.upstream()[0]?.outcome === 'aborted', 'the upstream call is ended')
  const left = async () => (await harness.rows()).find(({ code }) => code === 'caller_left')
  await until(async () => (await left()) !== undefined, 'the row is complete')
  const row = await left()
  assert.deepEqual([row?.status, row?.['route'], row?.['cost_picodollars']], [499, 'same', null])
})
