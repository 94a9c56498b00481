import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { TARGET, translate } from '../../../test/fixtures/gemini/translate.ts'
import { fc } from '../../../test/property.ts'
import type { ChatRequest } from '../../domain/request/chat.ts'
import type { EmbeddingsRequest } from '../../domain/request/embeddings.ts'
import { DIRECT } from './endpoint.ts'
import { chat, embeddings, geminiFamily } from './gemini-family.ts'
import { ContentStream } from './stream.ts'

const RUNS = { numRuns: 300 }

/** Any JSON, with the names that trip careless code. */
const anyJson = fc.jsonValue({ maxDepth: 4 })
const oddName = fc.constantFrom('__proto__', 'constructor', 'toString', 'wx', '')

/** Mostly what is usual, now and then anything. */
function mostly<T>(usual: fc.Arbitrary<T>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 12, arbitrary: usual }, { weight: 1, arbitrary: anyJson })
}

const word = fc.oneof(fc.string({ maxLength: 6 }), fc.constantFrom('', ' ', 'x'))
const url = fc.constantFrom(
  'https://a.b/c',
  'data:image/png;base64,iVBORw0KGgo=',
  'data:,x',
  'gs://a/b.png',
  'data:image/gif',
)
const part = mostly(
  fc.oneof(
    fc.record({ type: fc.constant('text'), text: mostly(word) }),
    fc.record({ type: fc.constant('image_url'), image_url: mostly(fc.record({ url })) }),
    fc.record({ type: fc.constant('file'), file: mostly(fc.record({ file_data: url })) }),
    fc.record({ type: fc.constant('input_audio'), input_audio: mostly(fc.record({ data: word, format: word })) }),
  ),
)
const content = mostly(fc.oneof(word, fc.array(part, { maxLength: 3 }), fc.constant(null)))
const extra = mostly(
  fc.record({ google: mostly(fc.record({ thought_signature: mostly(word), made_by: mostly(word) })) }),
)
const callId = fc.constantFrom('a', 'b', '')
const toolCall = mostly(
  fc.record({
    id: mostly(callId),
    function: mostly(fc.record({ name: oddName, arguments: mostly(fc.constantFrom('', '{"a":1}', '[')) })),
    extra_content: extra,
  }),
)
const message = mostly(
  fc.oneof(
    fc.record({ role: fc.constantFrom('system', 'developer', 'user'), content }),
    fc.record({
      role: fc.constant('assistant'),
      content,
      tool_calls: mostly(fc.array(toolCall, { maxLength: 2 })),
      extra_content: extra,
    }),
    fc.record({ role: fc.constant('tool'), content, tool_call_id: mostly(callId) }),
  ),
)
const fields = fc.record(
  {
    messages: mostly(fc.array(message, { maxLength: 6 })),
    tools: mostly(
      fc.array(mostly(fc.record({ function: fc.record({ name: oddName, parameters: anyJson }) })), { maxLength: 2 }),
    ),
    tool_choice: mostly(fc.constantFrom('auto', 'none', 'required')),
    response_format: mostly(fc.record({ type: fc.constantFrom('json_schema', 'json_object'), json_schema: anyJson })),
    reasoning_effort: mostly(fc.constantFrom('none', 'low', 'max')),
    stop: mostly(word),
    service_tier: mostly(fc.constant('flex')),
    max_tokens: mostly(fc.nat()),
    n: mostly(fc.nat()),
  },
  { requiredKeys: ['messages'] },
)

const wirePart = mostly(
  fc.record(
    {
      text: mostly(word),
      thought: mostly(fc.boolean()),
      thoughtSignature: mostly(word),
      functionCall: mostly(fc.record({ id: mostly(word), name: mostly(oddName), args: anyJson })),
    },
    { requiredKeys: [] },
  ),
)
const response = fc.oneof(
  anyJson,
  fc.record(
    {
      candidates: mostly(
        fc.array(
          mostly(
            fc.record({
              index: mostly(fc.nat(2)),
              content: mostly(fc.record({ parts: mostly(fc.array(wirePart, { maxLength: 3 })) })),
              finishReason: mostly(fc.constantFrom('STOP', 'OTHER', null)),
            }),
          ),
          { maxLength: 3 },
        ),
      ),
      promptFeedback: mostly(fc.record({ blockReason: mostly(word) })),
      usageMetadata: mostly(
        fc.record({ promptTokenCount: anyJson, cachedContentTokenCount: anyJson, promptTokensDetails: anyJson }),
      ),
    },
    { requiredKeys: [] },
  ),
)
const request = fc.constantFrom(
  { model: 'm', messages: [] },
  { model: 'm', messages: [], functions: [{ name: 'x' }] },
  { model: 'm', messages: [], n: 2 },
)

describe('no input makes a translation throw', () => {
  test('requests, which are not changed', () => {
    fc.assert(
      fc.property(fields, (each) => {
        const translation = translate(each)
        if (translation.kind === 'wire') JSON.stringify(translation.body)
        else assert.notEqual(translation.message.text, '')
      }),
      RUNS,
    )
  })

  test('requests of any JSON', () => {
    fc.assert(
      fc.property(anyJson, (each) => void chat.toWire(each as ChatRequest, TARGET)),
      RUNS,
    )
  })

  test('answers', () => {
    fc.assert(
      fc.property(response, request, (body, asked) => {
        const reading = chat.fromWire(body, asked as unknown as ChatRequest)
        if (reading.kind === 'failure') assert.notEqual(reading.failure.message, '')
      }),
      RUNS,
    )
  })

  test('streams, which end once', () => {
    fc.assert(
      fc.property(fc.array(response, { maxLength: 5 }), request, (events, asked) => {
        const reader = new ContentStream(asked as unknown as ChatRequest, DIRECT)
        const parts = [
          ...events.flatMap((event) => reader.read({ event: null, data: JSON.stringify(event) })),
          ...reader.end(),
          ...reader.end(),
        ]
        const ends = parts.filter(({ type }) => type === 'message-end' || type === 'failed')
        assert.equal(ends.length, 1)
        assert.equal(parts.at(-1), ends[0])
      }),
      RUNS,
    )
  })

  test('embeddings, failures and model lists', () => {
    fc.assert(
      fc.property(anyJson, fc.integer({ min: 100, max: 999 }), (body, status) => {
        embeddings.fromWire(body, { model: 'm', input: 'x' } as EmbeddingsRequest)
        assert.equal(geminiFamily.failureFromWire(status, body).status, status)
        try {
          geminiFamily.modelsFromWire(body)
        } catch (error) {
          assert.ok(error instanceof TypeError)
        }
      }),
      RUNS,
    )
  })
})
