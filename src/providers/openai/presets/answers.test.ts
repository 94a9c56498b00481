import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { chatOf } from '../../../../test/fixtures/openai/chat-of.ts'
import type { JsonObject } from '../../../domain/request/call-request.ts'
import type { StreamPart } from '../../../domain/request/stream.ts'

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
function completion(choice: object, more: object = {}): JsonObject {
  return {
    id: 'x',
    object: 'chat.completion',
    choices: [{ index: 0, finish_reason: 'stop', ...choice }],
    usage,
    ...more,
  }
}

const thinking = [
  { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
  { type: 'text', text: 'hello' },
]
const READ: [preset: string, wire: JsonObject, choice: object, counted?: object][] = [
  [
    'mistral',
    completion({ message: { role: 'assistant', content: thinking }, finish_reason: 'model_length' }),
    { message: { role: 'assistant', content: 'hello', reasoning_content: 'hm' }, finish_reason: 'length' },
  ],
  [
    'together',
    completion({ finish_reason: 'eos', logprobs: { tokens: ['a'], token_logprobs: [-1] } }),
    {
      finish_reason: 'stop',
      logprobs: { content: [{ token: 'a', logprob: -1, bytes: [97], top_logprobs: [] }], refusal: null },
    },
  ],
  [
    'deepseek',
    completion({}, { usage: { ...usage, prompt_cache_hit_tokens: 4 } }),
    {},
    { input: 6, cachedInput: 4, output: 5 },
  ],
  [
    'xai',
    completion({}, { usage: { ...usage, total_tokens: 115, completion_tokens_details: { reasoning_tokens: 100 } } }),
    {},
    { output: 105, reasoning: 100 },
  ],
  [
    'xai',
    completion(
      {},
      { usage: { prompt_tokens: 1, completion_tokens: 5, completion_tokens_details: { reasoning_tokens: 100 } } },
    ),
    {},
    { output: 105 },
  ],
  ['groq', completion({}, { service_tier: 'flex' }), {}, { input: 10, output: 5, pricePercent: 100 }],
  ['openrouter', completion({}, { usage: { ...usage, cost: 0.01 } }), {}, { output: 5 }],
]
describe('a whole answer of', () => {
  for (const [preset, wire, choice, counted = {}] of READ) {
    test(`${preset}: ${JSON.stringify(wire['choices']).slice(0, 80)}`, () => {
      const reading = chatOf(preset).fromWire(wire, { model: 'm' })
      assert.ok(reading.kind === 'answer')
      const [first] = reading.answer.body['choices'] as JsonObject[]
      for (const [name, value] of Object.entries(choice)) assert.deepEqual(first?.[name], value)
      for (const [name, value] of Object.entries(counted)) {
        assert.equal((reading.answer.usage as unknown as JsonObject)[name], value, name)
      }
    })
  }
})

const FAILED: [preset: string, wire: JsonObject, code: string, message: RegExp][] = [
  ['openrouter', { error: { code: 429, message: 'slow down', metadata: {} } }, 'rate_limited', /slow/],
  ['openrouter', { error: { code: 402, message: 'no credit' }, choices: [] }, 'provider_quota_exceeded', /credit/],
  [
    'openrouter',
    completion({ finish_reason: 'error', error: { code: 502, message: 'broken' } }),
    'upstream_error',
    /broken/,
  ],
  [
    'openrouter',
    { error: { code: 403, message: 'flagged', metadata: { flagged_input: 'x' } } },
    'content_filtered',
    /flagged/,
  ],
  ['mistral', completion({ finish_reason: 'error' }), 'upstream_error', /ended/],
]
for (const [preset, wire, code, message] of FAILED) {
  test(`${preset}: an answer that is an error: ${JSON.stringify(wire).slice(0, 60)}`, () => {
    const reading = chatOf(preset).fromWire(wire, { model: 'm' })
    assert.ok(reading.kind === 'failure')
    assert.equal(reading.failure.code, code)
    assert.match(reading.failure.message, message)
  })
}

function streamed(preset: string, chunks: (JsonObject | string)[]) {
  const reader = chatOf(preset).stream?.open({ model: 'm' })
  assert.ok(reader)
  const parts = chunks.flatMap((chunk) =>
    reader.read({ event: null, data: typeof chunk === 'string' ? chunk : JSON.stringify(chunk) }),
  )
  return { reader, parts: [...parts, ...reader.end()] }
}

function chunk(choice: object, more: object = {}): JsonObject {
  return {
    id: 'x',
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta: {}, finish_reason: null, ...choice }],
    ...more,
  }
}

function firstChoice(part: StreamPart | undefined): JsonObject {
  assert.ok(part?.type === 'chunk')
  const [choice] = (JSON.parse(part.json) as { choices: JsonObject[] }).choices
  return choice ?? {}
}

describe('a stream of', () => {
  test('mistral has thinking in lists, and its own word for a full window', () => {
    const { parts, reader } = streamed('mistral', [
      chunk({ delta: { role: 'assistant', content: [thinking[0]] } }),
      chunk({ delta: { content: 'hello' } }),
      chunk({ finish_reason: 'model_length' }, { usage }),
      '[DONE]',
    ])
    assert.deepEqual(firstChoice(parts[0])['delta'], { role: 'assistant', content: '', reasoning_content: 'hm' })
    assert.ok(parts[0]?.type === 'chunk' && parts[0].contentBytes === 2)
    assert.equal(firstChoice(parts[2])['finish_reason'], 'length')
    assert.deepEqual(parts.at(-1), { type: 'message-end', finishReason: 'length', warning: null })
    assert.equal(reader.usage?.isFinal, true)
  })

  test('groq counts in a place of its own', () => {
    const { reader } = streamed('groq', [
      chunk({ delta: { role: 'assistant', content: 'a' } }),
      chunk({ finish_reason: 'stop' }, { x_groq: { id: 'req_1', usage } }),
      '[DONE]',
    ])
    assert.equal(reader.usage?.tokens.output, 5)
  })

  test('together has one figure for each token', () => {
    const { parts } = streamed('together', [chunk({ delta: { role: 'assistant', content: 'a' }, logprobs: -1 })])
    assert.deepEqual(firstChoice(parts[0])['logprobs'], {
      content: [{ token: 'a', logprob: -1, bytes: [97], top_logprobs: [] }],
      refusal: null,
    })
  })

  test('xai counts reasoning beside the completion, and the caller sees the sum', () => {
    const { reader } = streamed('xai', [
      chunk({ delta: { role: 'assistant', content: 'a' } }),
      chunk({ finish_reason: 'stop' }, { usage: { ...usage, total_tokens: 115 } }),
      '[DONE]',
    ])
    assert.equal(reader.usage?.tokens.output, 105)
    assert.equal(reader.usage?.body['completion_tokens'], 105)
  })

  test('openrouter may end with an error', () => {
    const { parts } = streamed('openrouter', [
      chunk({ delta: { role: 'assistant', content: 'a' } }),
      chunk({ finish_reason: 'error' }, { error: { code: 'server_error', message: 'lost' } }),
    ])
    const last = parts.at(-1)
    assert.ok(last?.type === 'failed')
    assert.match(last.failure.message, /lost/)
  })

  test('a server that is alive in data is read on', () => {
    const { parts } = streamed('vllm', [': keepalive', chunk({ delta: { role: 'assistant', content: 'a' } })])
    assert.equal(parts[0]?.type, 'chunk')
  })
})
