import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { compilePrice, costOf, NO_PRICES } from '../../src/domain/pricing/price.ts'
import { NO_USAGE, type TokenUsage } from '../../src/domain/pricing/usage.ts'
import type { JsonObject } from '../../src/domain/request/call-request.ts'
import { FAMILIES } from '../../src/providers/families.ts'
import type { Translator } from '../../src/providers/family.ts'
import { ServerSentEvents } from '../../src/upstream/server-sent-events.ts'
import { type Harness, hello, startHarness } from '../harness.ts'
import { managing } from '../management/manage.ts'
import { bodyOf } from './streams/translate-stream.ts'

const PRICE = compilePrice({
  ...NO_PRICES,
  ...{ input_per_mtok: '1', output_per_mtok: '10', audio_output_per_mtok: '60', image_output_per_mtok: '30' },
  tiers: [],
})

/** An answer on the wire, whole and as the events of a stream. */
interface Wire {
  whole(usage: JsonObject): JsonObject
  events(usage: JsonObject): (JsonObject | string)[]
}

const WIRES: Record<string, Wire> = {
  openai: {
    whole: (usage) => ({
      id: 'chatcmpl-1',
      object: 'chat.completion',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: null, audio: { id: 'a', data: 'AAAA' } },
          finish_reason: 'stop',
        },
      ],
      usage,
    }),
    events: (usage) => [
      { choices: [{ index: 0, delta: { role: 'assistant', audio: { id: 'a', data: 'AAAA' } }, finish_reason: null }] },
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      { choices: [], usage },
      '[DONE]',
    ],
  },
  gemini: {
    whole: (usageMetadata) => ({
      candidates: [{ content: { role: 'model', parts: [{ text: 'Here:' }, IMAGE] }, finishReason: 'STOP' }],
      usageMetadata,
    }),
    events: (usageMetadata) => [
      {
        candidates: [{ content: { role: 'model', parts: [{ text: 'Here:' }] } }],
        usageMetadata: { promptTokenCount: 10 },
      },
      { candidates: [{ content: { role: 'model', parts: [IMAGE] }, finishReason: 'STOP' }], usageMetadata },
    ],
  },
}
const IMAGE = { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }

const chatOf = (family: string): Translator => {
  const chat = FAMILIES.get(family)?.translators.chat
  assert.ok(chat !== undefined)
  return chat as Translator
}
const REQUEST = { model: 'm', messages: [] }

function readWhole(family: string, usage: JsonObject): TokenUsage | null {
  const reading = chatOf(family).fromWire(WIRES[family]?.whole(usage) ?? {}, REQUEST)
  assert.ok(reading.kind === 'answer', JSON.stringify(reading))
  return reading.answer.usage
}

function readStream(family: string, usage: JsonObject): TokenUsage | null {
  const reader = chatOf(family).stream?.open({ ...REQUEST, stream: true })
  assert.ok(reader !== undefined)
  const body = new ServerSentEvents()
  const events = [...body.read(bodyOf(...(WIRES[family]?.events(usage) ?? []))), ...body.end()]
  for (const event of events) reader.read(event)
  reader.end()
  assert.equal(reader.usage?.isFinal, true)
  return reader.usage?.tokens ?? null
}

const openai = (completion_tokens: number, completion_tokens_details: JsonObject | null) => ({
  ...{ prompt_tokens: 10, completion_tokens, total_tokens: 10 + completion_tokens, completion_tokens_details },
})
const gemini = (candidatesTokenCount: number, details: unknown, thoughtsTokenCount = 0) => ({
  ...{ promptTokenCount: 10, candidatesTokenCount, thoughtsTokenCount, candidatesTokensDetails: details },
})
const by = (counts: Record<string, number>) =>
  Object.entries(counts).map(([modality, tokenCount]) => ({ modality, tokenCount }))

/** What is on the wire, what is counted, and what the answer costs beside its prompt, in millionths of a dollar. */
const TABLE: [family: string, what: string, usage: JsonObject, counted: Partial<TokenUsage>, cost: number][] = [
  [
    'openai',
    'text alone',
    openai(100, { reasoning_tokens: 20, audio_tokens: 0 }),
    { output: 100, reasoning: 20 },
    1_000,
  ],
  ['openai', 'no details', openai(100, null), { output: 100 }, 1_000],
  ['openai', 'audio', openai(100, { audio_tokens: 80, text_tokens: 20 }), { output: 100, audioOutput: 80 }, 5_000],
  [
    'openai',
    'audio and reasoning, which is text',
    openai(100, { audio_tokens: 60, reasoning_tokens: 30 }),
    { output: 100, audioOutput: 60, reasoning: 30 },
    4_000,
  ],
  [
    'openai',
    'images of a compatible server',
    openai(1_300, { reasoning_tokens: 0, image_tokens: 1_290 }),
    { output: 1_300, imageOutput: 1_290 },
    38_800,
  ],
  ['openai', 'more audio than answer', openai(50, { audio_tokens: 80 }), { output: 50, audioOutput: 50 }, 3_000],
  ['openai', 'no number', openai(50, { audio_tokens: '80', image_tokens: -1 }), { output: 50 }, 500],
  ['gemini', 'text alone', gemini(100, by({ TEXT: 100 })), { output: 100 }, 1_000],
  ['gemini', 'no details', gemini(100, undefined), { output: 100 }, 1_000],
  ['gemini', 'an image', gemini(1_300, by({ TEXT: 10, IMAGE: 1_290 })), { output: 1_300, imageOutput: 1_290 }, 38_800],
  [
    'gemini',
    'an image alone after thoughts, which are text',
    gemini(1_290, by({ IMAGE: 1_290 }), 200),
    { output: 1_490, imageOutput: 1_290, reasoning: 200 },
    40_700,
  ],
  ['gemini', 'audio', gemini(100, by({ AUDIO: 100 })), { output: 100, audioOutput: 100 }, 6_000],
  [
    'gemini',
    'both',
    gemini(100, by({ TEXT: 20, AUDIO: 30, IMAGE: 50 })),
    { output: 100, audioOutput: 30, imageOutput: 50 },
    3_500,
  ],
  [
    'gemini',
    'more of them than answer: thoughts are none of them',
    gemini(100, by({ AUDIO: 70, IMAGE: 70 }), 40),
    { output: 140, audioOutput: 70, imageOutput: 30, reasoning: 40 },
    5_500,
  ],
]

describe('audio and images of an answer are counted by their class', () => {
  for (const [family, what, wire, counted, cost] of TABLE) {
    for (const [how, read] of [
      ['whole', readWhole],
      ['streamed', readStream],
    ] as const) {
      test(`${family}, ${how}: ${what}`, () => {
        const usage = read(family, wire)
        assert.deepEqual(usage, { ...NO_USAGE, input: 10, ...counted })
        assert.equal(costOf(usage, PRICE), BigInt(10 + cost) * 1_000_000n)
      })
    }
  }

  test('a response of the Responses format', () => {
    const responses = FAMILIES.get('openai')?.translators.responses as Translator | undefined
    const usage = { input_tokens: 10, output_tokens: 100, output_tokens_details: { image_tokens: 80, audio_tokens: 5 } }
    const reading = responses?.fromWire(
      { id: 'r', object: 'response', status: 'completed', output: [], usage },
      REQUEST,
    )
    assert.ok(reading?.kind === 'answer', JSON.stringify(reading))
    assert.deepEqual(reading.answer.usage, { ...NO_USAGE, input: 10, output: 100, audioOutput: 5, imageOutput: 80 })
  })
})

const PRICES = 'input_per_mtok: "1", output_per_mtok: "10", audio_output_per_mtok: "60", image_output_per_mtok: "30"'
const CONFIG = `
providers:
  google: { family: gemini, base_url: "\${SIMULATED_GEMINI}", api_key: key-of-google }
workspaces:
  default:
    streaming: true
    routes:
      spoken: { chain: [{ provider: openai, model: gpt-spoken }] }
      drawn: { chain: [{ provider: google, model: gemini-drawn }] }
registry:
  - { provider: openai, model: gpt-spoken, ${PRICES}, max_output_tokens: 4096 }
  - { provider: google, model: gemini-drawn, ${PRICES}, max_output_tokens: 4096 }
`

describe('the gateway', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness({ config: CONFIG, simulator: { geminiKey: 'key-of-google' } })
  })
  after(() => harness.stop())
  const manage = managing(() => harness)

  for (const [route, model] of [
    ['spoken', 'gpt-spoken'],
    ['drawn', 'gemini-drawn'],
  ] as const) {
    for (const stream of [false, true]) {
      test(`charges ${route} answers, ${stream ? 'streamed' : 'whole'}, and says for what`, async () => {
        const tweak = { exactUsage: { prompt: 10, completion: 100 }, mediaTokens: { audio: 30, image: 50 } }
        harness.simulator.script(model, [{ tweak }])
        const answer = await harness.chat(hello(route, { stream }))
        assert.equal(answer.status, 200, answer.text)
        const row = await harness.rowOf(answer)
        const columns = ['completion_tokens', 'audio_output_tokens', 'image_output_tokens', 'usage_source']
        assert.deepEqual(
          columns.map((column) => row[column]),
          [100, 30, 50, 'provider'],
        )
        // 10 × 1 + 20 × 10 + 30 × 60 + 50 × 30, in millionths of a dollar.
        assert.equal(Number(row['cost_picodollars']) / 1e6, 3_510)
        const { json } = await manage('GET', `/requests/${row['id']}/explain`)
        assert.deepEqual(json.cost.lines.slice(1), [
          { class: 'output', tokens: 20, usd_per_mtok: '10', amount_usd: '0.0002' },
          { class: 'audio output', tokens: 30, usd_per_mtok: '60', amount_usd: '0.0018' },
          { class: 'image output', tokens: 50, usd_per_mtok: '30', amount_usd: '0.0015' },
        ])
        assert.equal(json.cost.total_usd, '0.00351')
      })
    }
  }
})
