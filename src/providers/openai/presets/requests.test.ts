import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { chatOf } from '../../../../test/fixtures/openai/chat-of.ts'
import { UNKNOWN_TRAITS } from '../../../domain/provider.ts'
import type { JsonObject } from '../../../domain/request/call-request.ts'
import type { ChatRequest } from '../../../domain/request/chat.ts'
import { NO_BOUNDS } from '../../../domain/request/output-limit.ts'
import { VENDORS } from './vendors.ts'

interface Sent {
  body: JsonObject
  ignored: string[]
}

function sent(preset: string, fields: object, more: object = {}): Sent {
  const request = { model: 'alias', messages: [{ role: 'user', content: 'hi' }], ...fields } as ChatRequest
  const before = structuredClone(request)
  const to = { model: 'm', traits: UNKNOWN_TRAITS, baseUrl: null, bounds: NO_BOUNDS, preset, ...more }
  const translation = chatOf(preset).toWire(request, to)
  assert.deepEqual(request, before, "the caller's request is never changed")
  assert.equal(translation.kind, 'wire', JSON.stringify(translation))
  if (translation.kind !== 'wire') throw new Error('unreachable')
  const { model, ...body } = translation.body
  assert.equal(model, to.model)
  return { body, ignored: translation.ignored }
}

/** The newest clients send all of this; no answer depends on it. */
const HABITS = { store: false, user: 'u1', service_tier: 'auto', safety_identifier: 's', prompt_cache_retention: '24h' }
const history = [
  { role: 'developer', content: 'be brief' },
  { role: 'user', content: 'hi', name: 'ada' },
  {
    role: 'assistant',
    content: null,
    refusal: null,
    annotations: [],
    reasoning_content: 'because',
    tool_calls: [{ id: 'call_0123456789', type: 'function', function: { name: 'f', arguments: '{}' } }],
  },
  { role: 'tool', tool_call_id: 'call_0123456789', content: '42' },
]

const MARKED = { role: 'user', content: [{ type: 'text', text: 'long', cache_control: { type: 'ephemeral' } }] }

const SENT: Record<string, [fields: object, wire: object, ignored?: string[]][]> = {
  mistral: [
    [
      { seed: 7, max_completion_tokens: 9 },
      { random_seed: 7, max_tokens: 9 },
    ],
    [{ max_tokens: 3, max_completion_tokens: 9 }, { max_tokens: 3 }, ['max_completion_tokens']],
    [
      { ...HABITS, metadata: { a: 'b' } },
      { metadata: { a: 'b' } },
      ['prompt_cache_retention', 'safety_identifier', 'service_tier', 'store', 'user'],
    ],
    [{ stream: true, stream_options: { include_usage: true } }, { stream: true }],
    [
      { tool_choice: 'required', tools: [TOOL()] },
      { tool_choice: 'any', tools: [TOOL()] },
    ],
    [{ logprobs: false }, {}],
    [
      { messages: history },
      {
        messages: [
          { role: 'system', content: 'be brief' },
          { role: 'user', content: 'hi' },
          {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: 'ab14600fc', type: 'function', function: { name: 'f', arguments: '{}' } }],
          },
          { role: 'tool', tool_call_id: 'ab14600fc', content: '42' },
        ],
      },
      ['messages.name', 'messages.reasoning_content'],
    ],
  ],
  groq: [
    [{ temperature: 0, n: 1, logprobs: false }, { temperature: 1e-8 }],
    [
      { temperature: 0.5, service_tier: 'default' },
      { temperature: 0.5, service_tier: 'on_demand' },
    ],
    [{ max_completion_tokens: 5 }, { max_completion_tokens: 5 }],
    [{ stream: true }, { stream: true, stream_options: { include_usage: true } }],
    [
      { messages: history.slice(1, 3) },
      {
        messages: [
          { role: 'user', content: 'hi' },
          { role: 'assistant', content: null, tool_calls: history[2]?.tool_calls, reasoning: 'because' },
        ],
      },
      ['messages.name'],
    ],
  ],
  together: [
    [
      { stop: 'END', logprobs: true, top_logprobs: 3 },
      { stop: ['END'], logprobs: 3 },
    ],
    [{ logprobs: true }, { logprobs: 1 }],
    [
      { logprobs: false, stop: ['a'] },
      { logprobs: 0, stop: ['a'] },
    ],
    [
      { max_completion_tokens: 5, stream: true },
      { max_tokens: 5, stream: true },
    ],
  ],
  fireworks: [
    [{ user: 'u', store: true, max_completion_tokens: 4 }, { user: 'u', max_tokens: 4 }, ['store']],
    [{ stream: true }, { stream: true }],
  ],
  deepseek: [
    [
      { reasoning_effort: 'high', max_completion_tokens: 4 },
      { reasoning_effort: 'high', max_tokens: 4 },
    ],
    [
      { messages: [history[2], { ...history[2], reasoning_content: undefined }] },
      {
        messages: [history[2], { ...history[2], reasoning_content: '' }],
      },
    ],
    [
      { messages: [{ role: 'assistant', content: 'x', thinking_blocks: [{ type: 'thinking', thinking: 'so' }] }] },
      { messages: [{ role: 'assistant', content: 'x', reasoning_content: 'so' }] },
    ],
  ],
  xai: [[{ verbosity: 'low', prompt_cache_key: 'k' }, { prompt_cache_key: 'k' }, ['verbosity']]],
  openrouter: [
    [
      { ...HABITS, models: ['a', 'b'] },
      { ...HABITS, models: ['a', 'b'] },
    ],
    [
      { messages: [MARKED, { ...history[2], is_error: false }] },
      { messages: [MARKED, { ...omit(history[2], 'reasoning_content'), reasoning: 'because' }] },
    ],
    [
      { messages: history.slice(2, 3) },
      { messages: [{ ...omit(history[2], 'reasoning_content'), reasoning: 'because' }] },
    ],
  ],
  cohere: [
    [
      { parallel_tool_calls: true, metadata: { a: 'b' }, n: 1, seed: 3 },
      { seed: 3 },
      ['metadata', 'parallel_tool_calls'],
    ],
  ],
  cerebras: [[{ presence_penalty: 1, logprobs: true }, { logprobs: true }, ['presence_penalty']]],
  ollama: [
    [{ user: 'u', tool_choice: 'auto', reasoning_effort: 'low' }, { reasoning_effort: 'low' }, ['user', 'tool_choice']],
  ],
  vllm: [[{ user: 'u', chat_template_kwargs: { a: 1 } }, { chat_template_kwargs: { a: 1 } }, ['user']]],
  lmstudio: [
    [
      { max_completion_tokens: 8, ttl: 300 },
      { max_tokens: 8, ttl: 300 },
    ],
  ],
  azure: [
    [
      { ...HABITS, max_tokens: 5 },
      { ...HABITS, max_tokens: 5 },
    ],
  ],
}

function TOOL() {
  return { type: 'function', function: { name: 'f', parameters: {} } }
}

function omit(object: object | undefined, name: string): object {
  return Object.fromEntries(Object.entries(object ?? {}).filter(([each]) => each !== name))
}

describe('a request to', () => {
  for (const [preset, rows] of Object.entries(SENT)) {
    for (const [fields, wire, ignored = []] of rows) {
      test(`${preset}: ${JSON.stringify(fields).slice(0, 80)}`, () => {
        const { body, ignored: reported } = sent(preset, fields)
        const messages = 'messages' in wire ? {} : { messages: [{ role: 'user', content: 'hi' }] }
        assert.deepEqual(JSON.parse(JSON.stringify(body)), JSON.parse(JSON.stringify({ ...messages, ...wire })))
        assert.deepEqual(reported.toSorted(), ignored.toSorted())
      })
    }
  }
})

test('every preset with a chat has a table', () => {
  const chatting = [...VENDORS].flatMap(([name, { hasNoChat }]) => (hasNoChat === true ? [] : [name]))
  assert.deepEqual(Object.keys(SENT).toSorted(), chatting.toSorted())
})
