import assert from 'node:assert/strict'
import { after, beforeEach, describe, test } from 'node:test'
import OpenAI from 'openai'
import { soundOf } from '../../../simulator/openai/audio/speech.ts'
import { type Harness, type Json, KEY, startHarness, until } from '../../harness.ts'
import { managing } from '../../management/manage.ts'
import { fc } from '../../property.ts'

const BY_CHARACTER =
  'input_per_mtok: null, output_per_mtok: null, unit_prices: [{ name: character, unit: character, usd_per_1000: "0.015" }]'
const MODELS = ['tts-1', 'tts-1-sim-cut', 'tts-1-sim-close', 'tts-1-sim-500', 'tts-1-sim-mib-100']
const harness: Harness = await startHarness({
  config: `
providers:
  local: { family: openai, base_url: "\${SIMULATED}", api_key: local-key }
workspaces:
  default:
    streaming: true
    routes:
      say: { chain: [{ provider: local, model: tts-1 }] }
      cut: { chain: [{ provider: local, model: tts-1-sim-cut }] }
      close: { chain: [{ provider: local, model: tts-1-sim-close }] }
      fails: { chain: [{ provider: local, model: tts-1-sim-500, retries: 0 }, { provider: local, model: tts-1 }] }
      either: { interchangeable: true, chain: [{ provider: local, model: tts-1-sim-500, retries: 0 }, { provider: local, model: tts-1 }] }
      long: { chain: [{ provider: local, model: tts-1-sim-mib-100 }] }
      tokens: { chain: [{ provider: local, model: mini-tts }] }
  quiet:
    streaming: false
registry:
${MODELS.map((model) => `  - { provider: local, model: ${model}, mode: audio_speech, ${BY_CHARACTER} }`).join('\n')}
  - { provider: local, model: mini-tts, mode: audio_speech, input_per_mtok: "0.6", output_per_mtok: "12" }
`,
})
const { simulator } = harness
const manage = managing(() => harness)
beforeEach(() => simulator.reset())
after(() => harness.stop())

const INPUT = 'Der Zug fährt um zehn 🚂.'
const CHARACTERS = [...INPUT].length
const ask = (
  body: object,
  { key = KEY, headers = {}, signal }: { key?: string; headers?: object; signal?: AbortSignal } = {},
) =>
  fetch(`${harness.url}/v1/audio/speech`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ input: INPUT, voice: 'alloy', ...body }),
    ...(signal && { signal }),
  })

async function rowOf(answer: Response): Promise<Json> {
  const id = answer.headers.get('x-gateway-request-id')
  return (await harness.rows()).find((row) => row.id === id)
}

describe('a speech', () => {
  test('is byte for byte that of the provider, with its type, its cost before its first byte, and its row', async () => {
    const answer = await ask({ model: 'say', response_format: 'wav' })
    const { headers } = answer
    assert.equal(answer.status, 200)
    assert.deepEqual(
      [headers.get('content-type'), headers.get('x-gateway-cost-usd'), headers.get('x-gateway-model')],
      ['audio/wav', '0.000360', 'tts-1'],
    )
    assert.deepEqual(Buffer.from(await answer.arrayBuffer()), soundOf(INPUT))
    const row = await rowOf(answer)
    assert.deepEqual(
      [row.endpoint, row.usage_source, row.cost_picodollars, row.ended, row.response_bytes],
      ['speech', 'measured', CHARACTERS * 15_000_000, 'finished', soundOf(INPUT).length],
    )
    assert.ok(row.cost_picodollars <= row.hold_picodollars)
    assert.doesNotMatch(JSON.stringify(row), /Zug/)
  })

  test('of a model billed by tokens costs an estimate where bytes count nothing, and what its events count', async () => {
    const bytes = await ask({ model: 'tokens' })
    await bytes.arrayBuffer()
    const row = await rowOf(bytes)
    assert.equal(row.usage_source, 'estimated')
    assert.ok(row.cost_picodollars > 0 && row.cost_picodollars <= row.hold_picodollars)
    const events = await ask({ model: 'tokens', stream_format: 'sse' })
    assert.match(events.headers.get('content-type') ?? '', /^text\/event-stream/)
    const all = (await events.text())
      .split('\n\n')
      .filter(Boolean)
      .map((frame) => JSON.parse(frame.slice(6)) as Json)
    const sound = all.slice(0, -1).map(({ audio }) => Buffer.from(audio, 'base64'))
    assert.deepEqual(Buffer.concat(sound), soundOf(INPUT))
    const counted = await rowOf(events)
    const { input_tokens: read, output_tokens: made } = all.at(-1).usage
    assert.deepEqual([counted.usage_source, counted.cost_picodollars], ['provider', read * 600_000 + made * 12_000_000])
  })

  test('that the provider cuts off is cut for its caller, and costs its text', async () => {
    const answer = await ask({ model: 'cut' })
    await assert.rejects(answer.arrayBuffer(), /terminated/)
    const row = await rowOf(answer)
    assert.deepEqual(
      [row.ended, row.code, row.cost_picodollars],
      ['failed_mid_stream', 'upstream_error', CHARACTERS * 15_000_000],
    )
  })

  test('without an announced end is chunked for its caller', async () => {
    const answer = await ask({ model: 'close' })
    assert.equal(answer.headers.get('transfer-encoding'), 'chunked')
    assert.deepEqual(Buffer.from(await answer.arrayBuffer()), soundOf(INPUT))
  })

  test('comes from another model only where the route says they are interchangeable', async () => {
    const failed = await ask({ model: 'fails' })
    assert.deepEqual([failed.status, ((await failed.json()) as Json).error.code], [502, 'upstream_error'])
    const answer = await ask({ model: 'either' })
    assert.deepEqual([answer.status, answer.headers.get('x-gateway-fallback-used')], [200, 'true'])
    await answer.arrayBuffer()
  })

  test('is given once for one Idempotency-Key, with the same bytes', async () => {
    const headers = { 'idempotency-key': 'once-said' }
    const first = Buffer.from(await (await ask({ model: 'say' }, { headers })).arrayBuffer())
    const again = await ask({ model: 'say' }, { headers })
    assert.deepEqual(Buffer.from(await again.arrayBuffer()), first)
    assert.equal(again.headers.get('content-type'), 'audio/mpeg')
    assert.equal(harness.upstream().length, 1)
  })

  test('of a caller who leaves is ended, and costs its text', async () => {
    const leaving = new AbortController()
    const answer = await ask({ model: 'long' }, { signal: leaving.signal })
    await answer.body?.getReader().read()
    leaving.abort()
    await until(async () => (await rowOf(answer))?.ended != null, 'the row is complete')
    const row = await rowOf(answer)
    assert.deepEqual([row.ended, row.cost_picodollars], ['caller_left', CHARACTERS * 15_000_000])
  })

  test('of 100 MiB comes at the pace of its reader', async () => {
    const answer = await ask({ model: 'long' })
    const reader = answer.body?.getReader()
    let bytes = 0
    let ahead = 0
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
      // The provider could send on meanwhile.
      for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
      bytes += part.value.length
      ahead = Math.max(ahead, (harness.upstream()[0]?.soundBytes ?? 0) - bytes)
      assert.deepEqual([part.value[0], part.value.at(-1)], [0xa5, 0xa5])
    }
    assert.equal(bytes, 100 * 1024 * 1024)
    // What is on the way is in the buffers of four sockets.
    assert.ok(ahead < 32 * 1024 * 1024, `${ahead} bytes are on the way`)
  })
})

describe('what cannot be', () => {
  for (const [what, body, status, message] of [
    ['no text', { model: 'say', input: '' }, 400, /input: expected at least 1 character/],
    ['what the vendor refuses', { model: 'say', response_format: 'midi' }, 400, /Unknown format/],
    ['events of a model without them', { model: 'say', stream_format: 'sse' }, 400, /not supported by this model/],
  ] as const) {
    test(what, async () => {
      const answer = await ask(body)
      const text = await answer.text()
      assert.equal(answer.status, status, text)
      assert.match((JSON.parse(text) as Json).error.message, message)
    })
  }

  test('events where streams are off; bytes are no such stream', async () => {
    const { json } = await manage('POST', '/keys?workspace=quiet', { name: 'quiet' })
    const refused = await ask({ model: 'local/tts-1', stream_format: 'sse' }, { key: json.value })
    assert.deepEqual([refused.status, ((await refused.json()) as Json).error.code], [501, 'not_implemented'])
    const answer = await ask({ model: 'local/tts-1' }, { key: json.value })
    assert.deepEqual(Buffer.from(await answer.arrayBuffer()), soundOf(INPUT))
  })

  test('more than a hard budget, which holds every character', async () => {
    const limits = { budget: { usd: '0.0005', per: 'total' } }
    const { json } = await manage('POST', '/keys?workspace=default', { name: 'short', limits })
    const answers = await Promise.all(Array.from({ length: 4 }, () => ask({ model: 'say' }, { key: json.value })))
    for (const answer of answers) await answer.arrayBuffer()
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 402, 402, 402])
  })
})

test('a hard budget holds at least what any text costs, by character and by token', async () => {
  const limits = { budget: { usd: '100', per: 'total' } }
  const key = (await manage('POST', '/keys?workspace=default', { name: 'wide', limits })).json.value
  const text = fc.string({
    unit: fc.constantFrom('a', 'ß', '中', '🚂', '👩‍🚒', ' ', '7', '\u0301'),
    minLength: 1,
    maxLength: 60,
  })
  const asked = fc.record({
    input: text,
    model: fc.constantFrom('say', 'tokens', 'cut'),
    speed: fc.constantFrom(0.25, 1, 4),
  })
  await fc.assert(
    fc.asyncProperty(asked, async (body) => {
      const answer = await ask(body, { key })
      await answer.arrayBuffer().catch(() => undefined)
      await until(async () => (await rowOf(answer))?.status != null, 'the row is complete')
      const { cost_picodollars: cost, hold_picodollars: held } = await rowOf(answer)
      assert.ok(cost > 0 && cost <= held, `${cost} of ${held}: ${JSON.stringify(body)}`)
    }),
    { numRuns: 40 },
  )
})

test('the official client gets the bytes', async () => {
  const client = new OpenAI({ baseURL: `${harness.url}/v1`, apiKey: KEY, maxRetries: 0 })
  const answer = await client.audio.speech.create({ model: 'say', input: INPUT, voice: 'alloy' })
  assert.deepEqual(Buffer.from(await answer.arrayBuffer()), soundOf(INPUT))
})
