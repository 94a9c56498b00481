import assert from 'node:assert/strict'
import { after, beforeEach, describe, test } from 'node:test'
import { type Harness, type Json, KEY, startHarness } from '../../harness.ts'
import { managing } from '../../management/manage.ts'

const harness: Harness = await startHarness({
  config: `
providers:
  mistral: { preset: mistral, base_url: "\${SIMULATED}", api_key: m-key }
  groq: { preset: groq, base_url: "\${SIMULATED}", api_key: g-key }
workspaces:
  default:
    routes:
      paid: { chain: [{ provider: mistral, model: mistral-moderation-2603 }] }
      either: { interchangeable: true, chain: [{ provider: openai, model: omni-moderation-sim-500, retries: 0 }, { provider: mistral, model: mistral-moderation-2603 }] }
      alone: { chain: [{ provider: openai, model: omni-moderation-sim-500, retries: 0 }, { provider: mistral, model: mistral-moderation-2603 }] }
      kept: { cache: { ttl_seconds: 600 }, chain: [{ provider: openai, model: omni-moderation-latest }] }
      none: { chain: [{ provider: groq, model: guard }] }
registry:
  - { provider: mistral, model: mistral-moderation-2603, mode: moderation, input_per_mtok: "0.1", output_per_mtok: "0" }
`,
})
const { simulator } = harness
const manage = managing(() => harness)
beforeEach(() => simulator.reset())
after(() => harness.stop())

async function moderate(body: object, key = KEY) {
  const answer = await fetch(`${harness.url}/v1/moderations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, text, json: JSON.parse(text) as Json }
}

const rowOf = async (headers: Headers) =>
  (await harness.rows()).find(({ id }) => id === headers.get('x-gateway-request-id'))

const IMAGE = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }

async function keyWith(limits: object) {
  const { json, text } = await manage('POST', '/keys?workspace=default', { name: `k${Math.random()}`, limits })
  assert.ok(typeof json.value === 'string', text)
  return json.value as string
}

describe('an answer', () => {
  test('is that of the usual model where none is named, free, with our id and the results as received', async () => {
    const { status, headers, json, text } = await moderate({ input: ['violence!', 'hello'] })
    assert.equal(status, 200, text)
    assert.match(json.id, /^modr_/)
    assert.equal(json.model, 'omni-moderation-latest')
    assert.deepEqual(
      json.results.map(({ flagged }: Json) => flagged),
      [true, false],
    )
    assert.deepEqual(json.results[0].category_applied_input_types.violence, ['text'])
    assert.equal(headers.get('x-gateway-cost-usd'), '0.000000')
    const row = await rowOf(headers)
    assert.deepEqual(
      [row?.['endpoint'], row?.['prompt_tokens'], row?.['completion_tokens'], Number(row?.['cost_picodollars'])],
      ['moderations', 0, 0, 0],
    )
    assert.deepEqual(harness.upstream()[0]?.body, { input: ['violence!', 'hello'], model: 'omni-moderation-latest' })
  })

  test('of text and image is one result', async () => {
    const { status, json, text } = await moderate({ input: [{ type: 'text', text: 'hate' }, IMAGE] })
    assert.equal(status, 200, text)
    assert.deepEqual(json.results.length, 1)
    assert.deepEqual(json.results[0].category_applied_input_types.hate, ['text', 'image'])
  })

  test('of a large body has all results', async () => {
    const input = Array.from({ length: 3_000 }, (_, at) => `${at} ${'long '.repeat(20)}`)
    const { status, json, text } = await moderate({ input })
    assert.deepEqual([status, json.results?.length], [200, 3_000], text.slice(0, 300))
  })

  test('that counts nothing, of a model with a price, is estimated', async () => {
    const { status, headers, text } = await moderate({ model: 'paid', input: 'x'.repeat(400) })
    assert.equal(status, 200, text)
    const row = await rowOf(headers)
    assert.deepEqual([row?.['prompt_tokens'], Number(row?.['cost_picodollars'])], [100, 10_000_000])
  })

  test('is the stored one for the same bytes', async () => {
    const asked = { model: 'kept', input: 'sexual?' }
    const first = await moderate(asked)
    const second = await moderate(asked)
    assert.deepEqual(second.json.results, first.json.results)
    assert.deepEqual([second.headers.get('x-gateway-cache'), harness.upstream().length], ['hit', 1])
  })
})

describe('a chain', () => {
  test('has no other model, because their categories are not comparable', async () => {
    const { status, headers } = await moderate({ model: 'alone', input: 'x' })
    assert.equal(status, 502)
    const { json } = await manage('GET', `/requests/${headers.get('x-gateway-request-id')}/explain`)
    assert.match(JSON.stringify(json), /are not comparable/)
  })

  test('whose models are said to be falls back', async () => {
    const { status, headers } = await moderate({ model: 'either', input: 'x' })
    assert.deepEqual([status, headers.get('x-gateway-provider')], [200, 'mistral'])
  })
})

describe('limits', () => {
  test('a hard budget does not stop what is free, and the rate counts it', async () => {
    const key = await keyWith({ rpm: 2, budget: { usd: '0.000001', per: 'total' } })
    assert.equal((await moderate({ input: 'x' }, key)).status, 200)
    assert.equal((await moderate({ input: [IMAGE] }, key)).status, 200)
    assert.deepEqual((await moderate({ input: 'x' }, key)).json.error.code, 'key_rate_limited')
  })

  test('a hard budget covers what is not free before the call', async () => {
    const key = await keyWith({ budget: { usd: '0.000001', per: 'total' } })
    const { status, json } = await moderate({ model: 'paid', input: 'x'.repeat(400) }, key)
    assert.deepEqual([status, json.error.code, harness.upstream().length], [402, 'budget_exceeded', 0])
    const unknown = await moderate({ model: 'paid', input: 'x', judge: 'deep' }, key)
    assert.match(unknown.json.error.message, /judge: a hard budget applies/)
  })
})

describe('what cannot be', () => {
  for (const [what, body, message] of [
    ['no input', {}, /input: expected a text, a list/],
    ['an empty list', { input: [] }, /input: expected a text, a list/],
    ['texts and parts', { input: ['x', IMAGE] }, /input: expected a text, a list/],
    ['a vendor without such models', { model: 'none', input: 'x' }, /does not offer moderations/],
    ['an image where texts are classified', { model: 'paid', input: [IMAGE] }, /input: this provider takes texts only/],
    ['a chat', { model: 'gpt-4o', input: 'x' }, /is for chat/],
  ] as const) {
    test(what, async () => {
      const answer = await moderate(body)
      assert.equal(answer.status, 400, answer.text)
      assert.match(answer.json.error.message, message)
    })
  }

  test('an answer with fewer results than inputs', async () => {
    const empty = { body: { id: 'x', results: [] } }
    simulator.script('omni-moderation-latest', [empty, empty, empty])
    const { status, json } = await moderate({ input: 'x' })
    assert.deepEqual([status, json.error.code], [502, 'upstream_error'])
  })
})
