import assert from 'node:assert/strict'
import { after, beforeEach, describe, test } from 'node:test'
import OpenAI from 'openai'
import { type Harness, type Json, KEY, startHarness } from '../../harness.ts'
import { managing } from '../../management/manage.ts'

const TOKENS = 'mode: image_generation, input_per_mtok: "5", output_per_mtok: "10", image_output_per_mtok: "30"'
const harness: Harness = await startHarness({
  config: `
providers:
  local: { family: openai, base_url: "\${SIMULATED}", api_key: local-key }
  groq: { preset: groq, base_url: "\${SIMULATED}", api_key: g-key }
workspaces:
  default:
    routes:
      drawn: { chain: [{ provider: openai, model: gpt-image-2 }] }
      uncounted: { chain: [{ provider: openai, model: gpt-image-2-sim-no-usage }] }
      piece: { chain: [{ provider: local, model: sdxl-sim-no-usage }] }
      large: { chain: [{ provider: openai, model: gpt-image-2-pixels-8000000 }] }
      hung: { chain: [{ provider: openai, model: gpt-image-2-sim-hang, timeout_ms: 300 }, { provider: openai, model: gpt-image-2 }] }
      broken: { chain: [{ provider: openai, model: gpt-image-2-sim-stall, timeout_ms: 300, retries: 3, hedge_after_ms: 50 }, { provider: openai, model: gpt-image-2 }] }
      busy: { chain: [{ provider: openai, model: gpt-image-2-sim-500, retries: 0 }, { provider: openai, model: gpt-image-2 }] }
      half: { chain: [{ provider: local, model: half-sim-no-usage }] }
      none: { chain: [{ provider: groq, model: x }] }
registry:
  - { provider: openai, model: gpt-image-2-sim-no-usage, ${TOKENS}, max_output_tokens: 24000 }
  - { provider: openai, model: gpt-image-2-pixels-8000000, ${TOKENS}, max_output_tokens: 24000 }
  - { provider: openai, model: gpt-image-2-sim-hang, ${TOKENS}, max_output_tokens: 24000 }
  - { provider: openai, model: gpt-image-2-sim-stall, ${TOKENS}, max_output_tokens: 24000 }
  - { provider: openai, model: gpt-image-2-sim-500, ${TOKENS}, max_output_tokens: 24000 }
  - { provider: local, model: half-sim-no-usage, mode: image_generation, unit_prices: [{ name: "image:1024x1024:high", unit: image, usd_per_1000: "40" }] }
  - { provider: local, model: sdxl-sim-no-usage, mode: image_generation, unit_prices: [{ name: "image:1024x1024", unit: image, usd_per_1000: "20" }, { name: "image:1024x1024:high", unit: image, usd_per_1000: "40" }] }
`,
})
const { simulator } = harness
const manage = managing(() => harness)
beforeEach(() => simulator.reset())
after(() => harness.stop())

async function draw(body: object, key = KEY) {
  const answer = await fetch(`${harness.url}/v1/images/generations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ prompt: 'A red balloon over Paris', ...body }),
  })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, text, json: JSON.parse(text) as Json }
}

const rowOf = async (headers: Headers) =>
  (await harness.rows()).find(({ id }) => id === headers.get('x-gateway-request-id'))

async function keyWith(usd: string) {
  const limits = { budget: { usd, per: 'total' } }
  const { json, text } = await manage('POST', '/keys?workspace=default', { name: `k${Math.random()}`, limits })
  assert.ok(typeof json.value === 'string', text)
  return json.value as string
}

describe('an answer', () => {
  test('passes as received and is priced by image tokens', async () => {
    const { status, headers, json, text } = await draw({ model: 'drawn', n: 2, quality: 'medium', size: '1024x1024' })
    assert.equal(status, 200, text)
    assert.deepEqual(Object.keys(json), [
      ...['created', 'size', 'quality', 'output_format', 'background', 'data', 'usage'],
    ])
    assert.match(headers.get('x-gateway-request-id') ?? '', /^img_/)
    assert.equal(headers.get('x-gateway-provider'), 'openai')
    const { input_tokens: read, output_tokens: made } = json.usage
    assert.equal(made, 2 * 1_756)
    const row = await rowOf(headers)
    assert.deepEqual(
      [
        row?.['endpoint'],
        row?.['prompt_tokens'],
        row?.['completion_tokens'],
        row?.['image_output_tokens'],
        row?.['uses'],
      ],
      ['images', read, made, made, '{"image:1024x1024:medium":2}'],
    )
    assert.equal(BigInt(row?.['cost_picodollars'] as number), BigInt(read) * 5_000_000n + BigInt(made) * 30_000_000n)
    assert.deepEqual(harness.upstream()[0]?.body, {
      ...{ prompt: 'A red balloon over Paris', model: 'gpt-image-2', n: 2, quality: 'medium', size: '1024x1024' },
    })
  })

  test('is priced by its size and quality where images are billed, with the arithmetic', async () => {
    const { headers, status, text } = await draw({ model: 'piece', n: 3, size: '1024x1024', quality: 'high' })
    assert.equal(status, 200, text)
    assert.equal(headers.get('x-gateway-cost-usd'), '0.120000')
    const { json } = await manage('GET', `/requests/${headers.get('x-gateway-request-id')}/explain`)
    assert.match(json.cost_lines.join('\n'), /image:1024x1024:high: 3 × image × 40 USD per thousand = 0\.12 USD/)
    const open = await draw({ model: 'piece' })
    assert.equal(open.headers.get('x-gateway-cost-usd'), '0.020000', 'of what it says it made')
  })

  test('without a count, of a model that bills tokens, is estimated and never free', async () => {
    const { headers, status, text } = await draw({ model: 'uncounted', size: '1024x1024', quality: 'low' })
    assert.equal(status, 200, text)
    const row = await rowOf(headers)
    assert.equal(row?.['usage_source'], 'estimated')
    assert.ok(Number(row?.['cost_picodollars']) > 0)
  })

  test('of many megabytes is whole', async () => {
    const { status, json, text } = await draw({ model: 'large', n: 2 })
    assert.equal(status, 200, text.slice(0, 300))
    assert.deepEqual(
      json.data.map(({ b64_json }: Json) => Buffer.from(b64_json, 'base64').length),
      [8_000_000, 8_000_000],
    )
  })

  test('reaches the official client', async () => {
    const client = new OpenAI({ baseURL: `${harness.url}/v1`, apiKey: KEY, maxRetries: 0 })
    const { data, usage } = await client.images.generate({ model: 'drawn', prompt: 'A cat', size: '1024x1024' })
    assert.deepEqual([data?.length, usage?.output_tokens], [1, 196])
  })
})

describe('a hard budget', () => {
  test('covers the image before the call, and is never exceeded by many at a time', async () => {
    // An image of low quality holds 196 tokens of 30 USD a million, and the prompt.
    const key = await keyWith('0.02')
    const calls = Array.from({ length: 8 }, () => draw({ model: 'drawn', size: '1024x1024', quality: 'low' }, key))
    const answers = await Promise.all(calls)
    const served = answers.filter(({ status }) => status === 200).length
    assert.ok(served > 0 && served <= 3, `${served}`)
    assert.ok(answers.every(({ status, json }) => status === 200 || json.error.code === 'budget_exceeded'))
    assert.equal(harness.upstream().length, served)
  })

  test('counts what was held where no price says what was made', async () => {
    const key = await keyWith('0.07')
    // Quality is left open and held at its dearest; low, which comes back, has no price.
    const first = await draw({ model: 'half', size: '1024x1024' }, key)
    assert.equal(first.status, 200, first.text)
    const row = await rowOf(first.headers)
    assert.deepEqual([row?.['cost_picodollars'], Number(row?.['unconfirmed_counted_picodollars'])], [null, 40e9])
    const second = await draw({ model: 'half', size: '1024x1024' }, key)
    assert.equal(second.status, 402, second.text)
  })

  test('refuses what is left open at its dearest, and what has no price', async () => {
    const key = await keyWith('0.5')
    const open = await draw({ model: 'drawn' }, key)
    assert.deepEqual([open.status, open.json.error.code], [402, 'budget_exceeded'])
    assert.match(
      open.json.error.message,
      /may cost up to 0\.72\S* USD\. It fits with size 1024x1024 and quality high\./,
    )
    const large = await draw({ model: 'drawn', n: 10, size: '1536x1024', quality: 'high' }, key)
    assert.match(large.json.error.message, /It fits with size 1536x1024 and quality medium\./)
    const chain = await draw({ model: 'busy', n: 10 }, key)
    assert.match(chain.json.error.message, /Ask for less: fewer images/)
    const unknown = await draw({ model: 'piece', size: '64x64' }, key)
    assert.deepEqual([unknown.status, unknown.json.error.code], [402, 'price_unknown'])
    assert.equal(harness.upstream().length, 0)
  })
})

describe('a chain', () => {
  for (const [what, model] of [
    ['that was sent and not answered', 'hung'],
    ['whose answer broke off, hedged or not,', 'broken'],
  ] as const) {
    test(`asks nobody again for an image ${what} because it is probably billed`, async () => {
      const { status, headers, text } = await draw({ model })
      assert.equal(status, 504, text)
      assert.equal(headers.get('x-should-retry'), 'false')
      assert.equal(harness.upstream().length, 1)
    })
  }

  test('falls back from an answer that is an error', async () => {
    const { status, headers, text } = await draw({ model: 'busy' })
    assert.deepEqual([status, headers.get('x-gateway-fallback-used')], [200, 'true'], text)
  })
})

describe('what cannot be', () => {
  for (const [what, body, status, message] of [
    ['no prompt', { model: 'drawn', prompt: '' }, 400, /prompt/],
    ['a vendor without such models', { model: 'none' }, 400, /does not offer images/],
    ['a chat model', { model: 'gpt-4o' }, 400, /is for chat/],
    ['a size that the vendor refuses', { model: 'drawn', size: '1000x1000' }, 400, /Invalid size/],
    ['what a filter blocks', { model: 'drawn', prompt: 'blocked by moderation' }, 400, /safety system/],
  ] as const) {
    test(what, async () => {
      const answer = await draw(body)
      assert.equal(answer.status, status, answer.text)
      assert.match(answer.json.error.message, message)
    })
  }
})

test('no picture and no prompt is in the log', async () => {
  const { headers, json } = await draw({ model: 'drawn', prompt: 'A zebra with a secret' })
  const row = JSON.stringify(await rowOf(headers), (_, value) => (typeof value === 'bigint' ? `${value}` : value))
  assert.ok(!row.includes('zebra') && !row.includes(json.data[0].b64_json))
})
