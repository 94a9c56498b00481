import assert from 'node:assert/strict'
import { after, beforeEach, describe, test } from 'node:test'
import OpenAI, { toFile } from 'openai'
import { type Harness, type Json, KEY, startHarness, until } from '../../harness.ts'
import { managing } from '../../management/manage.ts'

const TOKENS =
  'mode: image_generation, input_per_mtok: "5", image_input_per_mtok: "8", output_per_mtok: "10", image_output_per_mtok: "30", max_output_tokens: 24000'
const MODELS = ['gpt-image-2-sim-500', 'gpt-image-2-sim-hang', 'gpt-image-2-pixels-7000000']
const harness: Harness = await startHarness({
  config: `
providers:
  local: { family: openai, base_url: "\${SIMULATED}", api_key: local-key }
workspaces:
  default:
    streaming: true
    routes:
      drawn: { chain: [{ provider: openai, model: gpt-image-2 }] }
      busy: { chain: [{ provider: openai, model: gpt-image-2-sim-500, retries: 0 }, { provider: openai, model: gpt-image-2 }] }
      hung: { chain: [{ provider: openai, model: gpt-image-2-sim-hang, timeout_ms: 300 }, { provider: openai, model: gpt-image-2 }] }
      large: { chain: [{ provider: openai, model: gpt-image-2-pixels-7000000 }] }
      piece: { chain: [{ provider: local, model: sdxl }] }
  quiet:
    streaming: false
registry:
${MODELS.map((model) => `  - { provider: openai, model: ${model}, ${TOKENS} }`).join('\n')}
  - { provider: local, model: sdxl, mode: image_generation, unit_prices: [{ name: image, unit: image, usd_per_1000: "20" }] }
`,
})
const { simulator } = harness
const manage = managing(() => harness)
beforeEach(() => simulator.reset())
after(() => harness.stop())

const LOW = { size: '1024x1024', quality: 'low' }

const ask = (body: object, { key = KEY, signal }: { key?: string; signal?: AbortSignal } = {}) =>
  fetch(`${harness.url}/v1/images/generations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ prompt: 'A zebra', stream: true, ...LOW, ...body }),
    ...(signal && { signal }),
  })

const eventsIn = (text: string): Json[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice(6)) as Json)

async function rowOf({ headers }: Response): Promise<Json> {
  return (await harness.rows()).find(({ id }) => id === headers.get('x-gateway-request-id'))
}

const costOf = (words: number, images: number) => words * 5_000_000 + images * 30_000_000

async function keyWith(usd: string) {
  const limits = { budget: { usd, per: 'total' } }
  const { json, text } = await manage('POST', '/keys?workspace=default', { name: `k${Math.random()}`, limits })
  assert.ok(typeof json.value === 'string', text)
  return json.value as string
}

describe('a stream', () => {
  test('shows images on the way, which are priced, and ends with what it cost', async () => {
    const answer = await ask({ model: 'drawn', partial_images: 3 })
    const events = eventsIn(await answer.text())
    assert.deepEqual(
      events.map(({ type }) => type.split('.')[1]),
      ['partial_image', 'partial_image', 'partial_image', 'completed'],
    )
    const { input_tokens: words, output_tokens: made } = (events.at(-1) as Json).usage
    assert.equal(made, 196 + 300)
    const row = await rowOf(answer)
    assert.deepEqual(
      [row.ended, row.usage_source, row.image_output_tokens, row.cost_picodollars, row.uses],
      ['finished', 'provider', made, costOf(words, made), '{"image:1024x1024:low":1}'],
    )
    assert.ok(row.cost_picodollars <= row.hold_picodollars)
    assert.ok(!JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? `${value}` : value)).includes('zebra'))
  })

  test('of several images adds up what each of them cost', async () => {
    const answer = await ask({ model: 'drawn', n: 3, partial_images: 1 })
    const events = eventsIn(await answer.text())
    assert.equal(events.filter(({ type }) => type.endsWith('completed')).length, 3)
    const row = await rowOf(answer)
    assert.deepEqual([row.completion_tokens, row.uses], [3 * 296, '{"image:1024x1024:low":3}'])
  })

  test('has its price by image, too', async () => {
    const answer = await ask({ model: 'piece', n: 2 })
    await answer.text()
    const row = await rowOf(answer)
    assert.deepEqual([row.ended, row.cost_picodollars], ['finished', 40_000_000_000])
  })

  test('without a count costs the tokens that such an image has', async () => {
    simulator.script('gpt-image-2', [{ tweak: { embeddings: { usage: 'none' } } }])
    const answer = await ask({ model: 'drawn', n: 2, partial_images: 1 })
    await answer.text()
    const row = await rowOf(answer)
    assert.deepEqual([row.usage_source, row.image_output_tokens], ['estimated', 592])
  })

  test('of images of many megabytes is whole', async () => {
    const answer = await ask({ model: 'large', partial_images: 1 })
    const images = eventsIn(await answer.text()).map(({ b64_json: pixels }) => Buffer.from(pixels, 'base64').length)
    assert.deepEqual(images, [7e6, 7e6])
    assert.equal((await rowOf(answer)).ended, 'finished')
  })

  test('of a server that answers in one piece is made of it', async () => {
    simulator.script('gpt-image-2', [{ stream: false }])
    const events = eventsIn(await (await ask({ model: 'drawn', n: 2 })).text())
    assert.deepEqual(
      events.map(({ type, b64_json: pixels, usage }) => [type, typeof pixels, usage?.output_tokens]),
      [
        ['image_generation.completed', 'string', undefined],
        ['image_generation.completed', 'string', 392],
      ],
    )
  })

  test('falls back before its first image, not from a request that was sent and not answered', async () => {
    const answer = await ask({ model: 'busy', partial_images: 1 })
    assert.deepEqual([answer.status, answer.headers.get('x-gateway-fallback-used')], [200, 'true'])
    await answer.text()
    const hung = await ask({ model: 'hung' })
    assert.deepEqual([hung.status, hung.headers.get('x-should-retry')], [504, 'false'])
    await hung.text()
    assert.equal(harness.upstream().length, 3)
  })
})

describe('a stream that does not finish', () => {
  test('is no answer, costs what came, and what may be billed besides is kept', async () => {
    simulator.script('gpt-image-2', [{ stream: { steps: [{ play: 'first' }, 'cut'] } }])
    const answer = await ask({ model: 'drawn', partial_images: 2 })
    const events = eventsIn(await answer.text())
    assert.equal(events.at(-1)?.error.code, 'upstream_error')
    const row = await rowOf(answer)
    assert.deepEqual([row.ended, row.usage_source, row.image_output_tokens], ['failed_mid_stream', 'estimated', 100])
    assert.equal(row.cost_picodollars + Number(row.unconfirmed_most_picodollars), row.hold_picodollars)
  })

  test('because its caller leaves counts its whole hold against a hard budget', async () => {
    simulator.script('gpt-image-2', [{ stream: { steps: [{ play: 'first' }, 'stall'] } }])
    const key = await keyWith('0.02')
    const leaving = new AbortController()
    const answer = await ask({ model: 'drawn', partial_images: 3 }, { key, signal: leaving.signal })
    await answer.body?.getReader().read()
    leaving.abort()
    await until(async () => (await rowOf(answer))?.ended != null, 'the row is complete')
    const row = await rowOf(answer)
    assert.equal(row.ended, 'caller_left')
    assert.equal(row.cost_picodollars + Number(row.unconfirmed_counted_picodollars), row.hold_picodollars)
    const next = await ask({ model: 'drawn', partial_images: 3 }, { key })
    assert.equal(next.status, 402)
    await next.text()
  })
})

test('images on the way are held for', async () => {
  // 196 tokens and 300 for three on the way, at 30 USD a million, and 23 of the prompt at 5: 0.014995 USD.
  const short = await ask({ model: 'drawn', partial_images: 3 }, { key: await keyWith('0.0149') })
  assert.equal(short.status, 402)
  await short.text()
  const answer = await ask({ model: 'drawn', partial_images: 3 }, { key: await keyWith('0.015') })
  assert.equal(answer.status, 200)
  await answer.text()
})

test('where streams are off, both are 501', async () => {
  const { json } = await manage('POST', '/keys?workspace=quiet', { name: 'quiet' })
  const answer = await ask({ model: 'openai/gpt-image-2' }, { key: json.value })
  assert.deepEqual([answer.status, ((await answer.json()) as Json).error.code], [501, 'not_implemented'])
  const client = new OpenAI({ baseURL: `${harness.url}/v1`, apiKey: json.value, maxRetries: 0 })
  const image = await toFile(Buffer.from('pixels'), 'cat.png', { type: 'image/png' })
  await assert.rejects(client.images.edit({ model: 'drawn', prompt: 'A cat', image, stream: true }), /501/)
  assert.equal(harness.upstream().length, 0)
})

test('the official client gets both kinds', async () => {
  const client = new OpenAI({ baseURL: `${harness.url}/v1`, apiKey: KEY, maxRetries: 0 })
  const shown: string[] = []
  const drawn = await client.images.generate({ model: 'drawn', prompt: 'A cat', stream: true, partial_images: 1 })
  for await (const event of drawn) shown.push(event.type)
  const image = await toFile(Buffer.from('pixels'), 'cat.png', { type: 'image/png' })
  const edited = await client.images.edit({ model: 'drawn', prompt: 'A cat', image, stream: true, partial_images: 2 })
  for await (const event of edited) {
    shown.push(event.type)
    if (event.type === 'image_edit.completed') assert.equal(event.usage.input_tokens_details.image_tokens, 3_044)
  }
  assert.deepEqual(shown, [
    ...['image_generation.partial_image', 'image_generation.completed'],
    ...['image_edit.partial_image', 'image_edit.partial_image', 'image_edit.completed'],
  ])
  const { body } = harness.upstream()[1] ?? {}
  assert.deepEqual([(body as Json).stream, (body as Json).partial_images], ['true', '2'])
})
