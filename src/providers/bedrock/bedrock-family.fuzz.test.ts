import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { NOVA, targetOf, translate, wired } from '../../../test/fixtures/bedrock/translate.ts'
import { fc } from '../../../test/property.ts'
import { compilePrice, costOf, NO_PRICES } from '../../domain/pricing/price.ts'
import type { TokenUsage } from '../../domain/pricing/usage.ts'
import type { JsonObject } from '../../domain/request/call-request.ts'
import type { ChatRequest } from '../../domain/request/chat.ts'
import { holdTerms, moneyOf } from '../../limits/hold.ts'
import type { Translator } from '../family.ts'
import { bedrockFamily } from './bedrock-family.ts'

const CLAUDE = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'
const RUNS = { numRuns: 300 }
const { failureFromWire, modelsFromWire } = bedrockFamily
const chatOf = (model: string) =>
  (bedrockFamily.translatorsFor?.(model, { baseUrl: null }).chat ?? assert.fail()) as Translator<ChatRequest>
const request = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] } as unknown as ChatRequest

const anyJson = fc.jsonValue({ maxDepth: 4 })
function mostly<T>(usual: fc.Arbitrary<T>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 8, arbitrary: usual }, { weight: 1, arbitrary: anyJson })
}

describe('no input makes a translation throw', () => {
  const part = mostly(
    fc.record({
      type: fc.constantFrom('text', 'image_url', 'file'),
      text: mostly(fc.string()),
      image_url: fc.constantFrom('data:image/png;base64,iVBORw0KGgo=', 'https://a.b', null),
      file: mostly(fc.record({ file_data: fc.constantFrom('data:text/plain,hi', 'JVBERi0x'), filename: fc.string() })),
      cache_control: fc.constantFrom(undefined, { type: 'ephemeral' }, { type: 'ephemeral', ttl: '1h' }),
    }),
  )
  const message = mostly(
    fc.record({
      role: fc.constantFrom('system', 'user', 'assistant'),
      content: mostly(fc.oneof(fc.string(), fc.array(part, { maxLength: 3 }))),
    }),
  )
  const fields = fc.record(
    {
      messages: mostly(fc.array(message, { maxLength: 4 })),
      tools: anyJson,
      tool_choice: mostly(fc.constantFrom('auto', 'none', 'required')),
      response_format: anyJson,
      reasoning_effort: mostly(fc.constantFrom('none', 'low', 'max')),
      service_tier: mostly(fc.constantFrom('auto', 'flex', 'priority')),
      max_tokens: mostly(fc.nat()),
      parallel_tool_calls: fc.boolean(),
    },
    { requiredKeys: ['messages'] },
  )

  test('requests', () => {
    fc.assert(
      fc.property(fields, fc.constantFrom(NOVA, 'amazon.nova-2-lite-v1:0', CLAUDE), (asked, model) => {
        const made = model === CLAUDE ? chatOf(model).toWire(asked as never, targetOf(model)) : translate(asked, model)
        if (made.kind === 'wire') JSON.stringify(made.body)
        else assert.notEqual(made.message.text, '')
      }),
      RUNS,
    )
    fc.assert(
      fc.property(anyJson, (asked) => void chatOf(NOVA).toWire(asked as never, targetOf(NOVA))),
      RUNS,
    )
  })

  const block = mostly(
    fc.record(
      { text: anyJson, toolUse: anyJson, reasoningContent: anyJson, citationsContent: anyJson },
      { requiredKeys: [] },
    ),
  )
  const answer = mostly(
    fc.record({
      output: mostly(fc.record({ message: fc.record({ content: mostly(fc.array(block, { maxLength: 3 })) }) })),
      stopReason: mostly(fc.constantFrom('end_turn', 'tool_use', 'malformed_tool_use')),
      usage: mostly(fc.record({ inputTokens: anyJson, outputTokens: anyJson, cacheDetails: anyJson })),
      serviceTier: anyJson,
    }),
  )
  test('answers, failures and lists', () => {
    fc.assert(
      fc.property(answer, fc.integer({ min: 100, max: 999 }), (body, status) => {
        for (const model of [NOVA, CLAUDE]) chatOf(model).fromWire(body, request)
        assert.equal(failureFromWire(status, body).status, status)
        try {
          modelsFromWire(body)
        } catch (error) {
          assert.ok(error instanceof TypeError)
        }
      }),
      RUNS,
    )
  })

  const name = fc.oneof(
    fc.constantFrom('contentBlockStart', 'contentBlockDelta', 'contentBlockStop', 'messageStop', 'metadata', 'chunk'),
    fc.constantFrom(':exception throttlingException', ':error x', ':damaged', ':'),
    fc.string(),
  )
  const event = fc.record({
    event: fc.option(name),
    data: fc.oneof(
      fc.string(),
      fc
        .record({ contentBlockIndex: fc.nat(2), delta: anyJson, start: anyJson, bytes: fc.base64String() })
        .map((value) => JSON.stringify(value)),
    ),
  })
  test('streams: whatever comes, there is one end and nothing after it', () => {
    fc.assert(
      fc.property(fc.array(event), fc.constantFrom(NOVA, CLAUDE), (events, model) => {
        const reader = chatOf(model).stream?.open(request) ?? assert.fail()
        const parts = [...events.flatMap((each) => reader.read(each)), ...reader.end()]
        const ends = parts.filter(({ type }) => type === 'message-end' || type === 'failed')
        assert.equal(ends.length, 1)
        assert.equal(parts.at(-1), ends[0])
      }),
      RUNS,
    )
  })
})

describe('no usage that can be reported costs more than was held', () => {
  const price = compilePrice({
    ...NO_PRICES,
    tiers: [],
    ...{ input_per_mtok: '3', cached_input_per_mtok: '0.3', output_per_mtok: '15' },
    ...{ cache_write_5m_per_mtok: '3.75', cache_write_1h_per_mtok: '6' },
  })
  const PROMPT = 5_000
  const LIMIT = 700
  /** Parts of the prompt, as the service may split it, and what it may say of the writes. */
  const usage = fc
    .tuple(fc.nat(PROMPT), fc.nat(PROMPT), fc.nat(PROMPT), fc.nat(LIMIT), fc.nat(PROMPT), fc.nat(PROMPT))
    .map(([a, b, c, outputTokens, long, short]) => {
      const scale = Math.max(1, (a + b + c) / PROMPT)
      const [inputTokens, cacheReadInputTokens, cacheWriteInputTokens] = [a, b, c].map((each) =>
        Math.floor(each / scale),
      )
      const cacheDetails = [
        { ttl: '1h', inputTokens: long },
        { ttl: '5m', inputTokens: short },
      ]
      return {
        inputTokens,
        outputTokens,
        cacheReadInputTokens,
        cacheWriteInputTokens: cacheWriteInputTokens || 1,
        cacheDetails,
      }
    })
  const tier = fc.constantFrom(undefined, 'default', 'flex', 'priority', 'reserved')
  /** What was asked for, or less. */
  const served = (asked: string | undefined, other: boolean) => (other || asked === undefined ? 'default' : asked)

  function check(tokens: TokenUsage | null | undefined, fields: JsonObject, model: string): void {
    const made = model === NOVA ? wired(fields) : chatOf(model).toWire({ ...request, ...fields }, targetOf(model))
    const { bounds } = made.kind === 'wire' ? made : assert.fail()
    const worst = { promptTokens: PROMPT + 1, bounds, price, contextWindow: null, maxOutputTokens: null }
    const hold = moneyOf(holdTerms({ ...worst, pricePercent: bounds.namedPercent }))
    const cost = costOf(tokens ?? assert.fail('no usage'), price)
    assert.ok(hold !== null && cost !== null && cost <= hold, `${cost} of ${hold}`)
  }

  test('whole and streamed, through Converse', () => {
    fc.assert(
      fc.property(usage, tier, fc.boolean(), (counted, asked, other) => {
        const fields = { max_tokens: LIMIT, ...(asked === undefined ? {} : { service_tier: asked }) }
        const stated = { usage: counted, serviceTier: { type: served(asked, other) } }
        const output = { message: { content: [{ text: 'x' }] } }
        const reading = chatOf(NOVA).fromWire({ output, stopReason: 'end_turn', ...stated }, request)
        assert.ok(reading.kind === 'answer')
        check(reading.answer.usage, fields, NOVA)
        const reader = chatOf(NOVA).stream?.open(request) ?? assert.fail()
        reader.read({ event: 'messageStop', data: '{"stopReason":"end_turn"}' })
        reader.read({ event: 'metadata', data: JSON.stringify(stated) })
        assert.deepEqual(reader.usage?.tokens, reading.answer.usage)
        assert.equal(reader.usage?.isFinal, true)
      }),
    )
  })

  test('of Claude', () => {
    fc.assert(
      fc.property(usage, (counted) => {
        const body = {
          ...{ type: 'message', content: [{ type: 'text', text: 'x' }], stop_reason: 'end_turn' },
          usage: {
            input_tokens: counted.inputTokens,
            output_tokens: counted.outputTokens,
            cache_read_input_tokens: counted.cacheReadInputTokens,
            cache_creation_input_tokens: counted.cacheWriteInputTokens,
            cache_creation: { ephemeral_1h_input_tokens: counted.cacheDetails[0]?.inputTokens },
          },
        }
        const reading = chatOf(CLAUDE).fromWire(body, request)
        assert.ok(reading.kind === 'answer')
        check(reading.answer.usage, { max_tokens: LIMIT }, CLAUDE)
      }),
    )
  })
})
