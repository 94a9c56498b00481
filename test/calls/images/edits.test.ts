import assert from 'node:assert/strict'
import { after, beforeEach, describe, test } from 'node:test'
import OpenAI, { toFile } from 'openai'
import { type Harness, type Json, KEY, startHarness } from '../../harness.ts'
import { managing } from '../../management/manage.ts'

const TOKENS =
  'mode: image_generation, input_per_mtok: "5", image_input_per_mtok: "8", output_per_mtok: "10", image_output_per_mtok: "30", max_output_tokens: 24000'
const harness: Harness = await startHarness({
  config: `
providers:
  local: { family: openai, base_url: "\${SIMULATED}", api_key: local-key }
  grok: { preset: xai, base_url: "\${SIMULATED}", api_key: x-key }
workspaces:
  default:
    routes:
      drawn: { chain: [{ provider: openai, model: gpt-image-2 }] }
      uncounted: { chain: [{ provider: openai, model: gpt-image-2-sim-no-usage }] }
      busy: { chain: [{ provider: openai, model: gpt-image-2-sim-500, retries: 0 }, { provider: local, model: sdxl }] }
      piece: { chain: [{ provider: local, model: sdxl }] }
      unpriced: { chain: [{ provider: local, model: unknown }] }
      none: { chain: [{ provider: grok, model: grok-imagine }] }
registry:
  - { provider: openai, model: gpt-image-2-sim-no-usage, ${TOKENS} }
  - { provider: openai, model: gpt-image-2-sim-500, ${TOKENS} }
  - { provider: local, model: sdxl, mode: image_generation, unit_prices: [{ name: image, unit: image, usd_per_1000: "20" }] }
`,
})
const { simulator } = harness
const manage = managing(() => harness)
beforeEach(() => simulator.reset())
after(() => harness.stop())

const PIXELS = Buffer.from('\x89PNG and then the secret pixels of a cat', 'latin1')
const DATA_URL = `data:image/png;base64,${PIXELS.toString('base64')}`

interface Edit {
  key?: string
  images?: number
  mask?: boolean
  bytes?: Buffer
}

function formOf(fields: Record<string, string>, { images = 1, mask = false, bytes = PIXELS }: Edit): FormData {
  const form = new FormData()
  const file = () => new Blob([new Uint8Array(bytes)], { type: 'image/png' })
  for (let at = 0; at < images; at += 1) form.append(images === 1 ? 'image' : 'image[]', file(), `secret-${at}.png`)
  if (mask) form.append('mask', file(), 'mask.png')
  for (const [name, value] of Object.entries({ prompt: 'The same zebra, asleep', ...fields })) form.append(name, value)
  return form
}

async function edit(fields: Record<string, string> | { json: object }, more: Edit = {}) {
  const isJson = typeof fields['json'] === 'object'
  const answer = await fetch(`${harness.url}/v1/images/edits`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${more.key ?? KEY}`,
      ...(isJson && { 'content-type': 'application/json' }),
    },
    body: isJson ? JSON.stringify(fields['json']) : formOf(fields as Record<string, string>, more),
  })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, text, json: JSON.parse(text) as Json }
}

const rowOf = async (headers: Headers): Promise<Json> =>
  (await harness.rows()).find(({ id }) => id === headers.get('x-gateway-request-id'))
const sent = () => harness.upstream().map(({ body }) => body as Json)
const LOW = { size: '1024x1024', quality: 'low' }

async function keyWith(usd: string) {
  const limits = { budget: { usd, per: 'total' } }
  const { json, text } = await manage('POST', '/keys?workspace=default', { name: `k${Math.random()}`, limits })
  assert.ok(typeof json.value === 'string', text)
  return json.value as string
}

describe('an edit', () => {
  test('passes with its files and is priced by the tokens of text and images', async () => {
    const { status, headers, json, text } = await edit({ model: 'drawn', n: '2', ...LOW }, { images: 2, mask: true })
    assert.equal(status, 200, text)
    assert.equal(json.data.length, 2)
    const file = (name: string) => ({ name, type: 'image/png', bytes: PIXELS.length })
    assert.deepEqual(sent()[0], {
      ...{ 'image[]': [file('secret-0.png'), file('secret-1.png')], mask: file('mask.png') },
      ...{ prompt: 'The same zebra, asleep', model: 'gpt-image-2', n: '2', ...LOW },
    })
    const { text_tokens: words, image_tokens: seen } = json.usage.input_tokens_details
    const row = await rowOf(headers)
    assert.deepEqual(
      [row.endpoint, row.image_input_tokens, row.image_output_tokens, row.uses],
      ['image_edits', seen, 392, '{"image:1024x1024:low":2}'],
    )
    const cost = BigInt(words) * 5_000_000n + BigInt(seen) * 8_000_000n + 392n * 30_000_000n
    assert.equal(BigInt(row.cost_picodollars), cost)
    const said = JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? `${value}` : value))
    assert.ok(!/zebra|secret|pixels/.test(said), 'neither prompt nor picture is in the log')
  })

  test('of JSON is the same form', async () => {
    const body = { model: 'drawn', prompt: 'A cat', n: 1, images: [{ image_url: DATA_URL }], user: null, ...LOW }
    const { status, text } = await edit({ json: body })
    assert.equal(status, 200, text)
    assert.deepEqual(sent()[0], {
      ...{ model: 'gpt-image-2', prompt: 'A cat', n: '1', ...LOW },
      image: { name: 'image.png', type: 'image/png', bytes: PIXELS.length },
    })
  })

  test('of megabytes passes whole', async () => {
    const { status, text } = await edit({ model: 'drawn', ...LOW }, { bytes: Buffer.alloc(3_000_000, 7) })
    assert.equal(status, 200, text)
    assert.equal(sent()[0].image.bytes, 3_000_000)
  })

  test('of an image that nobody counted is charged as a prompt with an image, and marked', async () => {
    const { status, headers, text } = await edit({ model: 'uncounted', ...LOW })
    assert.equal(status, 200, text)
    const row = await rowOf(headers)
    assert.equal(row.usage_source, 'estimated')
    assert.ok(row.prompt_tokens >= 3_000, `${row.prompt_tokens}`)
  })

  test('falls back, form and all, and has a price by image', async () => {
    const { status, headers, text } = await edit({ model: 'busy', ...LOW }, { images: 3 })
    assert.equal(status, 200, text)
    assert.equal(headers.get('x-gateway-fallback-used'), 'true')
    assert.equal(headers.get('x-gateway-cost-usd'), '0.020000')
    assert.deepEqual(
      sent().map((body) => [body.model, body['image[]'].length]),
      [
        ['gpt-image-2-sim-500', 3],
        ['sdxl', 3],
      ],
    )
  })

  test('comes from the official client', async () => {
    const client = new OpenAI({ baseURL: `${harness.url}/v1`, apiKey: KEY, maxRetries: 0 })
    const image = () => toFile(PIXELS, 'cat.png', { type: 'image/png' })
    const one = await client.images.edit({ model: 'drawn', prompt: 'A cat', image: await image() })
    const several = await client.images.edit({
      ...{ model: 'drawn', prompt: 'Cats', image: [await image(), await image()], mask: await image() },
      ...{ n: 2, size: '1024x1024' },
    })
    assert.deepEqual([one.data?.length, several.data?.length], [1, 2])
    assert.equal(sent()[1]['image[]'].length, 2)
  })
})

describe('a hard budget', () => {
  test('holds the images that are sent, at the most an image may count', async () => {
    // 50,016 tokens and the prompt at 8 USD a million, and 196 at 30: 0.41 USD.
    const short = await edit({ model: 'drawn', ...LOW }, { key: await keyWith('0.40') })
    assert.deepEqual([short.status, short.json.error.code], [402, 'budget_exceeded'])
    const { status, text } = await edit({ model: 'drawn', ...LOW }, { key: await keyWith('0.42') })
    assert.equal(status, 200, text)
    const two = await edit({ model: 'drawn', ...LOW }, { key: await keyWith('0.42'), images: 2 })
    assert.equal(two.status, 402)
    assert.equal(harness.upstream().length, 1)
  })

  test('refuses what has no price', async () => {
    const { status, json } = await edit({ model: 'unpriced', ...LOW }, { key: await keyWith('5') })
    assert.deepEqual([status, json.error.code], [402, 'price_unknown'])
  })
})

describe('what cannot be', () => {
  const cases: [what: string, fields: Parameters<typeof edit>[0], more: Edit, status: number, message: RegExp][] = [
    ['no image', { model: 'drawn' }, { images: 0 }, 400, /image/],
    ['seventeen images', { model: 'drawn' }, { images: 17 }, 400, /image/],
    ['an empty image', { model: 'drawn' }, { bytes: Buffer.alloc(0) }, 400, /image: is empty/],
    ['an image as a text', { model: 'drawn', image: 'cat' }, { images: 0 }, 400, /send it as a file/],
    ['eleven answers', { model: 'drawn', n: '11' }, {}, 400, /n: /],
    ['a vendor without a form for them', { model: 'none' }, {}, 400, /does not offer image_edits/],
    [
      'an address',
      { json: { model: 'drawn', prompt: 'x', images: [{ image_url: 'https://x/y.png' }] } },
      {},
      400,
      /not fetched/,
    ],
    ['a stored file', { json: { model: 'drawn', prompt: 'x', images: [{ file_id: 'file-1' }] } }, {}, 400, /image_url/],
  ]
  for (const [what, fields, more, status, message] of cases) {
    test(what, async () => {
      const answer = await edit(fields, more)
      assert.equal(answer.status, status, answer.text)
      assert.match(answer.json.error.message, message)
      assert.equal(harness.upstream().length, 0)
    })
  }
})
