import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { translate } from '../../../test/fixtures/anthropic/translate.ts'
import { fc } from '../../../test/property.ts'
import { UNKNOWN_TRAITS } from '../../domain/provider.ts'
import type { ChatRequest } from '../../domain/request/chat.ts'
import { NO_BOUNDS } from '../../domain/request/output-limit.ts'
import { anthropicFamily, chat } from './anthropic-family.ts'

const RUNS = { numRuns: 300 }
const { toWire, fromWire } = chat
const { failureFromWire, modelsFromWire } = anthropicFamily

/** Any JSON, with the names that trip careless code. */
const anyJson = fc.jsonValue({ maxDepth: 4 })
const oddName = fc.constantFrom('__proto__', 'constructor', 'toString', 'wx', 'type', '')
const word = fc.oneof(fc.string({ maxLength: 6 }), fc.constantFrom('', ' ', '\n', 'a b', 'call.1', 'x'))

/** Mostly what callers send, now and then anything. */
function mostly<T>(usual: fc.Arbitrary<T>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 12, arbitrary: usual }, { weight: 1, arbitrary: anyJson })
}

const textPart = fc.record({ type: fc.constant('text'), text: mostly(word) })
const imagePart = fc.record({
  type: fc.constant('image_url'),
  image_url: mostly(
    fc.record({
      url: fc.constantFrom(
        'https://a.b/c',
        'data:image/png;base64,iVBORw0KGgo=',
        'data:,x',
        'http://a',
        'data:image/gif',
      ),
      detail: fc.constantFrom('auto', 'low', null),
    }),
  ),
})
const filePart = fc.record({
  type: fc.constant('file'),
  file: mostly(fc.record({ file_data: fc.constantFrom('data:text/plain,hi', 'JVBERi0x', '*'), filename: word })),
})
const marker = fc.constantFrom(undefined, null, { type: 'ephemeral' }, { type: 'ephemeral', ttl: '1h' })
const part = fc
  .tuple(mostly(fc.oneof(textPart, imagePart, filePart)), marker)
  .map(([value, cache_control]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value, cache_control } : value,
  )
const content = mostly(fc.oneof(word, fc.array(part, { maxLength: 3 }), fc.constant(null)))
const callId = fc.constantFrom('a', 'b', 'functions.wx:1', '')
const toolCall = fc.record({
  id: mostly(callId),
  type: mostly(fc.constant('function')),
  function: mostly(fc.record({ name: oddName, arguments: mostly(fc.constantFrom('', '{}', '{"a":1}', '[', '"{}"')) })),
})
const message = mostly(
  fc.oneof(
    fc.record({ role: fc.constantFrom('system', 'developer', 'user'), content, name: mostly(fc.constant(null)) }),
    fc.record({ role: fc.constant('assistant'), content, tool_calls: mostly(fc.array(toolCall, { maxLength: 2 })) }),
    fc.record({ role: fc.constant('tool'), content, tool_call_id: mostly(callId) }),
  ),
)
const schema = fc.oneof(
  anyJson,
  fc.record({ type: fc.constant('object'), properties: fc.dictionary(oddName, anyJson), definitions: anyJson }),
)
const tool = mostly(
  fc.record({ type: fc.constant('function'), function: fc.record({ name: oddName, parameters: mostly(schema) }) }),
)
const fields = fc.record(
  {
    messages: mostly(fc.array(message, { maxLength: 6 })),
    tools: mostly(fc.array(tool, { maxLength: 2 })),
    tool_choice: mostly(fc.constantFrom('auto', 'none', 'required')),
    response_format: mostly(
      fc.record({ type: fc.constantFrom('json_schema', 'json_object'), json_schema: fc.record({ schema }) }),
    ),
    reasoning_effort: mostly(fc.constantFrom('none', 'low', 'max')),
    stop: mostly(word),
    user: mostly(word),
    functions: mostly(fc.constant([])),
    function_call: mostly(fc.constant('auto')),
    max_tokens: mostly(fc.nat()),
    seed: anyJson,
  },
  { requiredKeys: ['messages'] },
)

/** Places whose content belongs to the caller, nulls included. */
const CALLERS_OWN = new Set(['input', 'input_schema', 'schema', 'stop_sequences', 'max_tokens', 'ttl', 'type'])

function hasNull(value: unknown): boolean {
  if (value === null || value === undefined) return true
  if (typeof value !== 'object') return false
  return Object.entries(value).some(([name, child]) => !CALLERS_OWN.has(name) && hasNull(child))
}

describe('no input makes a translation throw', () => {
  test('requests, which are neither changed nor translated into nulls', () => {
    fc.assert(
      fc.property(fields, (request) => {
        const translation = translate(request)
        if (translation.kind === 'wire') {
          assert.equal(hasNull(translation.body), false, JSON.stringify(translation.body))
          JSON.stringify(translation.body)
        } else assert.notEqual(translation.message.text, '')
      }),
      RUNS,
    )
  })

  test('requests of any JSON', () => {
    fc.assert(
      fc.property(anyJson, (request) => {
        toWire(request as ChatRequest, {
          model: 'claude-opus-5',
          traits: UNKNOWN_TRAITS,
          baseUrl: null,
          bounds: NO_BOUNDS,
        })
      }),
      RUNS,
    )
  })

  const block = mostly(
    fc.record({
      type: fc.constantFrom('text', 'tool_use', 'x'),
      text: anyJson,
      id: anyJson,
      name: fc.oneof(anyJson, fc.constant('gateway_json_answer')),
      input: anyJson,
    }),
  )
  const answer = fc.oneof(
    anyJson,
    fc.record({
      content: mostly(fc.array(block, { maxLength: 3 })),
      stop_reason: mostly(fc.constantFrom('end_turn', 'refusal', null)),
      stop_details: anyJson,
      usage: mostly(fc.record({ input_tokens: anyJson, output_tokens: anyJson, cache_creation: anyJson })),
    }),
  )
  const request = fc.constantFrom(
    { model: 'm', messages: [] },
    { model: 'm', messages: [], functions: [{ name: 'x' }] },
    { model: 'm', messages: [], response_format: { type: 'json_object' } },
  )

  test('answers', () => {
    fc.assert(
      fc.property(answer, request, (body, asked) => {
        const reading = fromWire(body, asked as unknown as ChatRequest)
        if (reading.kind === 'failure') assert.notEqual(reading.failure.message, '')
      }),
      RUNS,
    )
  })

  test('failures', () => {
    const error = fc.oneof(anyJson, fc.record({ type: fc.constant('error'), error: anyJson }))
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 999 }), error, (status, body) => {
        assert.equal(failureFromWire(status, body).status, status)
      }),
      RUNS,
    )
  })

  test('model lists', () => {
    const page = fc.record({
      data: fc.array(fc.record({ id: fc.string(), created_at: anyJson, capabilities: anyJson })),
      has_more: anyJson,
      last_id: anyJson,
    })
    fc.assert(
      fc.property(fc.oneof(anyJson, page), (body) => {
        try {
          assert.ok(Array.isArray(modelsFromWire(body).models))
        } catch (error) {
          assert.match(String(error), /the model list has no "data" array/)
        }
      }),
      RUNS,
    )
  })
})
