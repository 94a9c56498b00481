import assert from 'node:assert/strict'
import { after, beforeEach, describe, test } from 'node:test'
import { type Harness, type Json, KEY, startHarness } from '../../harness.ts'
import { managing } from '../../management/manage.ts'
import { API_KEY } from './world.ts'

const PRICES = 'input_per_mtok: "2", output_per_mtok: "12", image_output_per_mtok: "120", max_output_tokens: 4000'
const MODELS = ['gemini-3-pro-image', 'gemini-3-pro-image-sim-500', 'gemini-3-pro-image-sim-refusal']
const harness: Harness = await startHarness({
  simulator: { geminiKey: API_KEY },
  config: `
providers:
  google: { family: gemini, base_url: "\${SIMULATED_GEMINI}", api_key: ${API_KEY} }
workspaces:
  default:
    streaming: true
    routes:
      drawn: { chain: [{ provider: google, model: gemini-3-pro-image }] }
      refused: { chain: [{ provider: google, model: gemini-3-pro-image-sim-refusal }] }
      talker: { chain: [{ provider: google, model: gemini-3.5-flash }] }
      either: { chain: [{ provider: google, model: gemini-3-pro-image-sim-500, retries: 0 }, { provider: openai, model: gpt-image-2 }] }
registry:
${MODELS.map((model) => `  - { provider: google, model: ${model}, ${PRICES} }`).join('\n')}
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
    body: JSON.stringify({ model: 'drawn', prompt: 'A red balloon', ...body }),
  })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, text, json: JSON.parse(text) as Json }
}

const rowOf = async (headers: Headers): Promise<Json> =>
  (await harness.rows()).find(({ id }) => id === headers.get('x-gateway-request-id'))

async function keyWith(usd: string) {
  const limits = { budget: { usd, per: 'total' } }
  const { json, text } = await manage('POST', '/keys?workspace=default', { name: `k${Math.random()}`, limits })
  assert.ok(typeof json.value === 'string', text)
  return json.value as string
}

describe('an image', () => {
  test('is asked for in the own words of the model, and priced by text, thoughts and image', async () => {
    simulator.script('gemini-3-pro-image', [
      {
        tweak: {
          exactUsage: { prompt: 326, completion: 2_677 },
          thinkingTokens: 337,
          mediaTokens: { audio: 0, image: 2_000 },
        },
      },
    ])
    const { status, headers, json, text } = await draw({ size: '3840x2160', user: 'ana' })
    assert.equal(status, 200, text)
    assert.deepEqual(harness.upstream()[0]?.body, {
      contents: [{ role: 'user', parts: [{ text: 'A red balloon' }] }],
      generationConfig: { responseModalities: ['IMAGE'], imageConfig: { aspectRatio: '16:9', imageSize: '4K' } },
    })
    assert.equal(Buffer.from(json.data[0].b64_json, 'base64').toString(), 'pixels')
    assert.ok(json.created > 1_700_000_000)
    assert.deepEqual(json.usage.output_tokens_details, { text_tokens: 677, image_tokens: 2_000 })
    assert.equal(headers.get('x-gateway-ignored-params'), 'user')
    const row = await rowOf(headers)
    assert.deepEqual(
      [row.cost_picodollars, row.image_output_tokens, row.uses],
      [248_776_000_000, 2_000, '{"image:3840x2160:any":1}'],
    )
  })

  test('that nobody counted costs what such an image has', async () => {
    simulator.script('gemini-3-pro-image', [
      { body: { candidates: [{ content: { parts: [{ inlineData: { mimeType: 'image/png', data: 'AA==' } }] } }] } },
    ])
    const { status, headers, text } = await draw({})
    assert.equal(status, 200, text)
    const row = await rowOf(headers)
    assert.deepEqual([row.usage_source, row.image_output_tokens], ['estimated', 1_120])
  })

  test('is held for at the limit of the model', async () => {
    // 4,000 tokens at 120 USD a million, and 29 of the prompt at 2.
    const short = await draw({}, await keyWith('0.48'))
    assert.deepEqual([short.status, short.json.error.code], [402, 'budget_exceeded'])
    const { status, text } = await draw({}, await keyWith('0.481'))
    assert.equal(status, 200, text)
  })

  test('that a filter keeps back is named so', async () => {
    const { status, json } = await draw({ model: 'refused' })
    assert.deepEqual([status, json.error.code], [400, 'content_filtered'])
  })

  test('comes from another vendor where this one fails', async () => {
    const { status, headers, text } = await draw({ model: 'either', size: '1024x1024' })
    assert.equal(status, 200, text)
    assert.equal(headers.get('x-gateway-provider'), 'openai')
  })
})

describe('what cannot be', () => {
  for (const [what, body, message] of [
    ['two at once', { n: 2 }, /n: this provider/],
    ['a quality', { quality: 'high' }, /quality: this provider/],
    ['a stream', { stream: true }, /stream: this provider/],
    ['an odd ratio', { size: '1000x1024' }, /size: expected/],
    ['more than 4K', { size: '8192x8192' }, /size: expected/],
    ['what nobody knows', { style: 'vivid' }, /style: this provider/],
    ['a model that chats', { model: 'talker' }, /is for chat/],
  ] as const) {
    test(what, async () => {
      const { status, json } = await draw(body)
      assert.equal(status, 400)
      assert.match(json.error.message, message)
      assert.equal(harness.upstream().length, 0)
    })
  }
})

test('a model that makes images chats, too', async () => {
  const answer = await harness.chat({ model: 'drawn', messages: [{ role: 'user', content: 'hello' }] })
  assert.equal(answer.status, 200)
})
