import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Stated, Uses } from '../domain/pricing/usage.ts'
import type { CallRequest, JsonObject } from '../domain/request/call-request.ts'
import { anthropicFamily } from './anthropic/anthropic-family.ts'
import type { Translator } from './family.ts'
import { geminiFamily } from './gemini/gemini-family.ts'
import { openaiFamily } from './openai/openai-family.ts'

const REQUEST = { model: 'm', messages: [], input: '' } as unknown as CallRequest
const messages = anthropicFamily.translators.messages ?? assert.fail()
const responses = openaiFamily.translators.responses ?? assert.fail()
const chat = openaiFamily.translators.chat ?? assert.fail()
const gemini = geminiFamily.translators.chat ?? assert.fail()

const search = { type: 'web_search_call', action: { type: 'search', queries: ['a', 'b'] } }
const USAGE = { input_tokens: 9, output_tokens: 3 }
const response = (output: JsonObject[], more: JsonObject = {}) => ({
  status: 'completed',
  output,
  usage: USAGE,
  ...more,
})
const message = (usage: JsonObject) => ({
  ...{ type: 'message', role: 'assistant', content: [{ type: 'text', text: 'x' }], stop_reason: 'end_turn' },
  usage: { ...USAGE, ...usage },
})
const grounded = (...queries: string[][]) => ({
  candidates: queries.map((asked, index) => ({
    ...{ index, content: { parts: [{ text: 'x' }] }, finishReason: 'STOP' },
    groundingMetadata: { webSearchQueries: asked },
  })),
  usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 1 },
})
const completion = (usage: JsonObject) => ({
  choices: [{ index: 0, message: { role: 'assistant', content: 'x' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 9, completion_tokens: 1, ...usage },
})

const read = (translator: Translator, body: JsonObject) => {
  const reading = translator.fromWire(body, REQUEST)
  return reading.kind === 'answer' ? reading.answer.usage : assert.fail(JSON.stringify(reading))
}

describe('how often tools of the provider ran', () => {
  const cases: [title: string, translator: Translator, body: JsonObject, uses: Uses | null][] = [
    ['no tool', responses, response([{ type: 'message', content: [] }]), null],
    ['a call with several queries is one search', responses, response([search, search]), { web_search: 2 }],
    [
      'pages that are opened, and calls beyond the limit, are free',
      responses,
      response([search, { ...search, action: { type: 'open_page' } }, { type: 'web_search_call' }]),
      { web_search: 1 },
    ],
    [
      'the preview has a price of its own',
      responses,
      response([search], { tools: [{ type: 'web_search_preview_2025_03_11' }] }),
      { web_search_preview: 1 },
    ],
    [
      'several tools are all counted, a container once',
      responses,
      response([
        search,
        ...[1, 2].map(() => ({ type: 'code_interpreter_call', container_id: 'c1' })),
        { type: 'code_interpreter_call', container_id: 'c2' },
        { type: 'file_search_call' },
        { type: 'image_generation_call' },
        { type: 'mcp_call' },
        { type: 'function_call' },
      ]),
      { web_search: 1, code_interpreter: 2, file_search: 1, image_generation: 1 },
    ],
    [
      'fetched pages cost their tokens alone',
      messages,
      message({ server_tool_use: { web_search_requests: 3, web_fetch_requests: 2 } }),
      { web_search: 3 },
    ],
    ['zero searches are none', messages, message({ server_tool_use: { web_search_requests: 0 } }), null],
    // billing.md, V16
    ['the same query twice is one, an empty one none', gemini, grounded(['a', 'b', 'a', '']), { google_search: 2 }],
    ['queries of all candidates', gemini, grounded(['a'], ['a', 'c']), { google_search: 2 }],
    [
      'a server that counts for us',
      chat,
      completion({ server_side_tool_usage_details: { web_search_calls: 4, x_search_calls: 0, mcp_calls: 2 } }),
      { web_search: 4 },
    ],
  ]
  for (const [title, translator, body, uses] of cases) {
    test(title, () => assert.deepEqual(read(translator, body)?.uses ?? null, uses))
  }
})

describe('in a stream', () => {
  const event = (value: JsonObject) => ({ event: String(value['type'] ?? ''), data: JSON.stringify(value) })
  const usesOf = (translator: Translator, events: JsonObject[]) => {
    const reader = translator.stream?.open(REQUEST) ?? assert.fail()
    for (const value of events) reader.read(event(value))
    return { uses: reader.usage?.tokens.uses ?? null, isFinal: reader.usage?.isFinal }
  }
  const done = { type: 'response.output_item.done', output_index: 0, item: search }

  test('a tool that ran before a cut is counted', () => {
    assert.deepEqual(usesOf(responses, [done, done]), { uses: { web_search: 2 }, isFinal: false })
  })
  test('the end has the last word', () => {
    const end = { type: 'response.completed', response: response([search]) }
    assert.deepEqual(usesOf(responses, [done, end]), { uses: { web_search: 1 }, isFinal: true })
  })
  test('Anthropic reports totals', () => {
    const start = { type: 'message_start', message: message({ server_tool_use: { web_search_requests: 0 } }) }
    const usage = { output_tokens: 5, server_tool_use: { web_search_requests: 2 } }
    const delta = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage }
    assert.deepEqual(usesOf(messages, [start, delta]).uses, { web_search: 2 })
  })
  test('queries come in several events', () => {
    assert.deepEqual(usesOf(gemini, [grounded(['a']), grounded(['a', 'b'])]).uses, { google_search: 2 })
  })
})

describe('what an answer states', () => {
  const stated = (picodollars: string, by: string): Stated => ({ picodollars, by })
  const cases: [usage: JsonObject, expected: Stated | null][] = [
    [{}, null],
    [{ cost: 7.1e-5 }, stated('71000000', 'usage.cost')],
    [{ cost: 0 }, stated('0', 'usage.cost')],
    [{ cost: 0.00014849999999999998 }, stated('148500000', 'usage.cost')],
    [{ cost: '1.5E-3' }, stated('1500000000', 'usage.cost')],
    [{ cost: 'free' }, null],
    [{ cost: -1 }, null],
    // The breakdown is the same money: adding it would double it.
    [
      { cost: 0.5, is_byok: false, cost_details: { upstream_inference_cost: 0.5 } },
      stated('500000000000', 'usage.cost'),
    ],
    [
      { cost: 0, is_byok: true, cost_details: { upstream_inference_cost: 0.0042 } },
      stated('4200000000', 'usage.cost_details.upstream_inference_cost'),
    ],
    [{ cost: 0, is_byok: true, cost_details: null }, null],
    // billing.md, V11
    [{ cost_in_usd_ticks: 41_250_000 }, stated('4125000000', 'usage.cost_in_usd_ticks')],
    [{ cost_in_usd_ticks: 1.5 }, null],
    [{ cost: { input_tokens_cost: 0.001, total_cost: 0.006 } }, stated('6000000000', 'usage.cost.total_cost')],
  ]
  for (const [usage, expected] of cases) {
    test(JSON.stringify(usage), () => assert.deepEqual(read(chat, completion(usage))?.stated ?? null, expected))
  }
})
