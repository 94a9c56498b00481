import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { UNKNOWN_TRAITS } from '../../../domain/provider.ts'
import type { JsonObject } from '../../../domain/request/call-request.ts'
import { NO_BOUNDS } from '../../../domain/request/output-limit.ts'
import type { ResponsesRequest } from '../../../domain/request/responses.ts'
import type { Target } from '../../family.ts'
import { wireBody } from '../../wire-body.ts'
import { TIER_PIN } from '../chat/tiers.ts'
import { responses } from './responses.ts'

const TARGET: Target = { model: 'gpt-up', traits: UNKNOWN_TRAITS, baseUrl: null, bounds: NO_BOUNDS }
const request = (fields: JsonObject = {}) => ({ model: 'fast', input: 'hi', ...fields }) as ResponsesRequest

function wireOf(fields: JsonObject, target: Partial<Target> = {}) {
  const translation = responses.toWire(request(fields), { ...TARGET, ...target })
  assert.ok(translation.kind === 'wire', JSON.stringify(translation))
  return translation
}

function refusalOf(fields: JsonObject, target: Partial<Target> = {}): string {
  const translation = responses.toWire(request(fields), { ...TARGET, ...target })
  assert.ok(translation.kind === 'refused', JSON.stringify(translation))
  assert.equal(translation.code, 'unsupported_parameter')
  return translation.message.text
}

describe('a request for a provider that speaks the format', () => {
  test('passes byte for byte, except for the model', () => {
    const text = '{ "input":[{"role":"user","content":[]}],"unknown":{"a":[1.0]},\n "model":"fast","stream":false }'
    const parsed = JSON.parse(text) as ResponsesRequest
    const translation = responses.toWire(parsed, TARGET)
    assert.ok(translation.kind === 'wire')
    const bytes = wireBody(translation.body, parsed, text)
    assert.equal(bytes, '{ "input":[{"role":"user","content":[]}],"unknown":{"a":[1.0]},\n "model":"gpt-up"}')
    assert.deepEqual(parsed, JSON.parse(text))
  })

  test('its limit and the pinned tier are set, and counted', () => {
    const limited = wireOf({}, { bounds: { default: 50, most: 40 }, pins: [TIER_PIN] })
    assert.deepEqual(limited.body, { model: 'gpt-up', input: 'hi', max_output_tokens: 40, service_tier: 'default' })
    assert.deepEqual(limited.bounds, { outputTokens: 40, answers: 1, namedPercent: 100, accountPercent: 100 })
    assert.deepEqual(
      limited.adjustments.map(({ field, reason }) => [field, reason]),
      [
        ['max_output_tokens', 'fitted_to_budget'],
        ['service_tier', 'pinned'],
      ],
    )
    assert.equal(wireOf({ max_output_tokens: 30 }, { bounds: { default: null, most: 40 } }).bounds.outputTokens, 30)
    assert.equal(wireOf({}).bounds.outputTokens, null)
    assert.deepEqual(wireOf({ service_tier: 'priority' }).bounds.namedPercent, 200)
    assert.deepEqual(wireOf({}).bounds.accountPercent, 200)
  })

  const state: [fields: JsonObject, message: RegExp][] = [
    [{ previous_response_id: 'resp_1' }, /^previous_response_id: .*send the items/],
    [{ conversation: { id: 'c' } }, /^conversation: /],
    [{ prompt: { id: 'p' } }, /^prompt: /],
    [{ context_management: [] }, /^context_management: /],
    [
      {
        input: [
          { role: 'user', content: 'x' },
          { type: 'item_reference', id: 'x' },
        ],
      },
      /^input\[1\]: /,
    ],
  ]
  for (const [fields, message] of state) {
    test(`state goes to the only entry: ${JSON.stringify(fields)}`, () => {
      assert.match(refusalOf(fields), message)
      assert.equal(wireOf(fields, { isOnly: true }).body['model'], 'gpt-up')
    })
  }

  test('nothing runs in the background: nobody could fetch or count the answer', () => {
    assert.match(refusalOf({ background: true }, { isOnly: true }), /^background: /)
  })

  const unpriced: JsonObject[] = [
    { tools: [{ type: 'web_search' }], tool_choice: 'required' },
    { tools: [{ type: 'function', name: 'a' }, { type: 'web_search' }], tool_choice: { type: 'web_search' } },
    { tools: [{ type: 'namespace', name: 'a', tools: [{ type: 'web_search' }] }] },
    { input: [{ type: 'additional_tools', tools: [{ type: 'mcp' }] }] },
    { input: [{ type: 'tool_search_output', tools: [{ type: 'mcp' }] }] },
    { prompt: { id: 'p' } },
    { context_management: [] },
  ]
  for (const fields of unpriced) {
    test(`a hard budget refuses ${JSON.stringify(fields)}`, () => {
      assert.match(refusalOf(fields, { isStrict: true, isOnly: true }), /a hard budget applies/)
      assert.equal(wireOf(fields, { isOnly: true }).kind, 'wire')
    })
  }

  for (const tool of [
    { type: 'image_generation' },
    { type: 'tool_search' },
    { type: 'web_search', execution: 'client' },
    'not a tool',
  ]) {
    test(`a hard budget leaves out ${JSON.stringify(tool)}`, () => {
      const tools = [{ type: 'function', name: 'a' }, tool] as JsonObject[]
      const { body, adjustments } = wireOf({ tools }, { isStrict: true })
      assert.deepEqual(body['tools'], [{ type: 'function', name: 'a' }])
      assert.deepEqual(
        adjustments.map(({ reason }) => reason),
        ['left_out'],
      )
    })
  }

  test("a hard budget lets the caller's own tools pass", () => {
    const tools = [
      { type: 'function', name: 'a' },
      { type: 'custom', name: 'b' },
      { type: 'namespace', tools: [] },
      { type: 'tool_search', execution: 'client' },
    ]
    assert.equal(wireOf({ tools }, { isStrict: true }).kind, 'wire')
  })

  test('who speaks it', () => {
    const table: [string | null, 'responses'[] | undefined, boolean][] = [
      [null, undefined, true],
      ['https://api.openai.com/v1', undefined, true],
      ['http://127.0.0.1:11434/v1', undefined, false],
      ['http://127.0.0.1:11434/v1', ['responses'], true],
      [null, [], false],
    ]
    for (const [baseUrl, speaks, expected] of table) {
      const provider = speaks === undefined ? { baseUrl } : { baseUrl, speaks }
      assert.equal(responses.isSpokenBy?.(provider), expected, JSON.stringify(provider))
    }
  })
})

describe('an answer', () => {
  const body = (fields: JsonObject = {}) => ({
    id: 'resp_up',
    object: 'response',
    status: 'completed',
    output: [],
    ...fields,
  })
  const USAGE = {
    ...{ input_tokens: 10, input_tokens_details: { cached_tokens: 4, cache_write_tokens: 3 } },
    ...{ output_tokens: 7, output_tokens_details: { reasoning_tokens: 2 }, total_tokens: 17 },
  }

  test('is kept as it is, and counted', () => {
    const reading = responses.fromWire(body({ usage: USAGE, service_tier: 'flex', x: 1 }), request())
    assert.ok(reading.kind === 'answer')
    assert.deepEqual(reading.answer.body, body({ usage: USAGE, service_tier: 'flex', x: 1 }))
    const { input, cachedInput, cacheWrite30m, output, reasoning, pricePercent } = reading.answer.usage ?? assert.fail()
    assert.deepEqual([input, cachedInput, cacheWrite30m, output, reasoning, pricePercent], [3, 4, 3, 7, 2, 50])
  })

  test('without a count has none', () => {
    const reading = responses.fromWire(body(), request())
    assert.equal(reading.kind === 'answer' && reading.answer.usage, null)
  })

  const ends: [fields: JsonObject, reason: string, hasWarning: boolean][] = [
    [{}, 'stop', false],
    [{ output: [{ type: 'function_call' }] }, 'tool_calls', false],
    [{ output: [{ type: 'custom_tool_call' }] }, 'tool_calls', false],
    [{ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }, 'length', false],
    [{ status: 'incomplete', incomplete_details: { reason: 'content_filter' } }, 'content_filter', false],
    [{ status: 'incomplete', incomplete_details: { reason: 'new' } }, 'length', true],
  ]
  for (const [fields, reason, hasWarning] of ends) {
    test(`${JSON.stringify(fields)} ended with ${reason}`, () => {
      const reading = responses.fromWire(body(fields), request())
      assert.ok(reading.kind === 'answer')
      assert.deepEqual([reading.answer.finishReason, reading.answer.warning !== null], [reason, hasWarning])
    })
  }

  const failures: [body: unknown, code: string][] = [
    ['text', 'upstream_error'],
    [{ id: 'x' }, 'upstream_error'],
    [body({ status: 'failed', error: { code: 'server_error', message: 'm' } }), 'upstream_error'],
    [body({ status: 'failed', error: { code: 'rate_limit_exceeded', message: 'm' } }), 'rate_limited'],
    [body({ status: 'failed', error: { code: 'invalid_prompt', message: 'm' } }), 'content_filtered'],
    [body({ status: 'failed', error: { code: 'bio_policy', message: 'm' } }), 'content_filtered'],
    [body({ status: 'failed', error: { code: 'invalid_image_url', message: 'm' } }), 'invalid_request'],
    [body({ status: 'failed' }), 'upstream_error'],
    [body({ status: 'cancelled' }), 'upstream_error'],
    [body({ status: 'queued' }), 'upstream_error'],
    [body({ status: 'in_progress' }), 'upstream_error'],
    [{ error: { message: 'm', code: 'context_length_exceeded' } }, 'context_length_exceeded'],
  ]
  for (const [wire, code] of failures) {
    test(`${JSON.stringify(wire)} is a failure`, () => {
      const reading = responses.fromWire(wire, request())
      assert.ok(reading.kind === 'failure')
      assert.equal(reading.failure.code, code)
    })
  }
})
