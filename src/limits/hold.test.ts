import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ChatRequest, JsonObject } from '../domain/chat.ts'
import { compilePrice, costOf, type PriceList } from '../domain/pricing/price.ts'
import { NO_USAGE } from '../domain/pricing/usage.ts'
import { holdOf, IMAGE_TOKENS, INSTRUCTION_TOKENS, outputTokensBound, promptTokensBound } from './hold.ts'

function chat(content: unknown, more: JsonObject = {}): ChatRequest {
  return { model: 'm', messages: [{ role: 'user', content }], ...more } as ChatRequest
}
const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value))
const image = (url: string) => ({ type: 'image_url', image_url: { url } })
const NONE = chat([])

describe('a prompt has at most as many tokens as', () => {
  const text = (value: string) => ({ type: 'text', text: value })
  const table: [what: string, request: ChatRequest, tokens: number | null][] = [
    ['its JSON has bytes', chat('hello'), bytes(chat('hello'))],
    ['the bytes, not the characters', chat('日本語 😀'), bytes(chat('日本語 😀'))],
    [
      'the bound of each image, whatever its size',
      chat([text('x'), image(`data:image/png;base64,${'A'.repeat(100_000)}`), image('https://example.com/a.png')]),
      bytes(chat([text('x'), null, null])) + 2 * IMAGE_TOKENS,
    ],
    [
      'the bytes of a text file',
      chat([{ type: 'file', file: { file_data: `data:text/plain;base64,${'A'.repeat(5_000)}` } }]),
      bytes(chat([{ type: 'file', file: { file_data: 'data:text/plain;base64,' } }])) + 5_000,
    ],
    [
      'nobody knows, with a packed document',
      chat([{ type: 'file', file: { file_data: 'data:application/pdf;base64,AAAA' } }]),
      null,
    ],
    ['nobody knows, with a document in the place of an image', chat([image('data:application/pdf;base64,AAAA')]), null],
    [
      'tools and the instructions that come with them',
      chat('x', { tools: [{ type: 'function' }] }),
      bytes(chat('x', { tools: [{ type: 'function' }] })) + INSTRUCTION_TOKENS,
    ],
    [
      'an output format and its instructions',
      chat('x', { response_format: { type: 'json_object' } }),
      bytes(chat('x', { response_format: { type: 'json_object' } })) + INSTRUCTION_TOKENS,
    ],
    ['nobody knows, with a file that lies at the provider', chat([{ type: 'file', file: { file_id: 'f' } }]), null],
    [
      'an image of a tool result too',
      {
        model: 'm',
        messages: [{ role: 'tool', tool_call_id: 't', content: [image('data:image/png;base64,x')] }],
      } as ChatRequest,
      bytes({ model: 'm', messages: [{ role: 'tool', tool_call_id: 't', content: [null] }] }) + IMAGE_TOKENS,
    ],
  ]
  for (const [what, request, tokens] of table) test(what, () => assert.equal(promptTokensBound(request), tokens))
})

describe('an answer has at most', () => {
  const table: [wire: JsonObject, modelLimit: number | null, tokens: number | null][] = [
    [{ max_tokens: 10 }, 100, 10],
    [{ max_completion_tokens: 20 }, 100, 20],
    [{ max_tokens: 10, max_completion_tokens: 20 }, null, 20],
    [{ max_tokens: 10, n: 3 }, 100, 30],
    [{}, 100, 100],
    [{ n: 2 }, 100, 200],
    [{ n: null, max_tokens: null }, 100, 100],
    [{ max_tokens: -5 }, 100, 100],
    [{ max_tokens: 1.5, n: 0 }, 100, 100],
    [{}, null, null],
  ]
  for (const [wire, modelLimit, tokens] of table) {
    test(`${tokens} tokens: ${JSON.stringify(wire)} at a model of ${modelLimit}`, () =>
      assert.equal(outputTokensBound(wire, modelLimit), tokens))
  }
})

const LIST: PriceList = {
  input_per_mtok: '1',
  cached_input_per_mtok: '0.1',
  cache_write_5m_per_mtok: '1.25',
  cache_write_30m_per_mtok: null,
  cache_write_1h_per_mtok: '2',
  output_per_mtok: '10',
  tiers: [],
}
const tier = (above: number, input: string | null, output: string | null) => ({
  prompt_tokens_above: above,
  input_per_mtok: input,
  cached_input_per_mtok: null,
  cache_write_5m_per_mtok: null,
  cache_write_30m_per_mtok: null,
  cache_write_1h_per_mtok: null,
  output_per_mtok: output,
})
const SIZE = bytes(NONE)

describe('the hold', () => {
  const wire = { max_tokens: 100 }
  const of = (list: PriceList | null, change: Partial<Parameters<typeof holdOf>[0]> = {}) =>
    holdOf({
      request: NONE,
      wire,
      price: list === null ? undefined : compilePrice(list),
      contextWindow: null,
      maxOutputTokens: null,
      ...change,
    })
  const at = (input: number, output: number) => BigInt(SIZE * input + 100 * output) * 1_000_000n
  const table: [what: string, hold: bigint | null, expected: bigint | null][] = [
    ['takes the dearest class of prompt tokens', of(LIST), at(2, 10)],
    ['takes a tier that the prompt can reach', of({ ...LIST, tiers: [tier(SIZE - 1, '5', '15')] }), at(5, 15)],
    ['takes no tier beyond it', of({ ...LIST, tiers: [tier(SIZE, '5', '15')] }), at(2, 10)],
    ['keeps the base where a tier is cheaper', of({ ...LIST, tiers: [tier(1, '0.5', '1')] }), at(2, 10)],
    ['is null without a price', of(null), null],
    ['is null with half a price', of({ ...LIST, output_per_mtok: null }), null],
    ['is null with an unknown tier in reach', of({ ...LIST, tiers: [tier(1, null, null)] }), null],
    ['is null without a limit of the answer', of(LIST, { wire: {} }), null],
    ["takes the model's own limit", of(LIST, { wire: {}, maxOutputTokens: 100 }), at(2, 10)],
    [
      'is zero where all is free',
      of({
        ...LIST,
        input_per_mtok: '0',
        cache_write_5m_per_mtok: '0',
        cached_input_per_mtok: '0',
        cache_write_1h_per_mtok: '0',
        output_per_mtok: '0',
      }),
      0n,
    ],
  ]
  for (const [what, hold, expected] of table) test(what, () => assert.equal(hold, expected))

  test('takes the whole window for a file of unknown length, null without a window', () => {
    const request = chat([{ type: 'file', file: { file_id: 'f' } }])
    assert.equal(of(LIST, { request }), null)
    assert.equal(of(LIST, { request, contextWindow: 1_000 }), BigInt(1_000 * 2 + 100 * 10) * 1_000_000n)
  })

  test('is as much larger as the provider charges more than the list price, never rounded down', () => {
    const request = chat([])
    const list = BigInt(bytes(request) * 2 + 1_000) * 1_000_000n
    assert.equal(of(LIST, { request, pricePercent: 200 }), 2n * list)
    assert.equal(of(LIST, { request, pricePercent: 110 }), (list * 110n) / 100n)
    const odd = of({ ...LIST, output_per_mtok: '0.000001' }, { request, pricePercent: 101 })
    assert.equal(odd, (BigInt(bytes(request)) * 2_000_000n * 101n) / 100n + 100n * 2n)
  })

  test('is never less than what the call costs, whatever its tokens within the bounds are', () => {
    const price = compilePrice({ ...LIST, tiers: [tier(50, '3', '30')] })
    const request = chat('x'.repeat(100))
    const hold = holdOf({ request, wire, price, contextWindow: null, maxOutputTokens: null })
    const prompt = promptTokensBound(request) ?? 0
    for (const name of ['input', 'cachedInput', 'cacheWrite5m', 'cacheWrite30m', 'cacheWrite1h'] as const) {
      for (const tokens of [0, 1, 50, 51, prompt]) {
        const cost = costOf({ ...NO_USAGE, [name]: tokens, output: 100 }, price)
        assert.ok(hold !== null && cost !== null && cost <= hold, `${tokens} of ${name}`)
      }
    }
  })
})
