import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import {
  fieldsOf,
  ignoredOf,
  mistakeOf,
  refusalOf,
  translate,
  wireOf,
} from '../../../../test/fixtures/anthropic/translate.ts'
import type { JsonObject } from '../../../domain/request/call-request.ts'

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

describe('top-level fields', () => {
  test('a plain request carries the upstream model, 1024 tokens and the messages', () => {
    assert.deepEqual(wireOf({}), {
      model: 'claude-sonnet-4-6',
      max_tokens: 1024,
      messages: [{ role: 'user', content: 'Hi' }],
    })
  })

  const sent: [string, JsonObject, JsonObject][] = [
    ['temperature is sent verbatim, also above 1', { temperature: 1.7 }, { temperature: 1.7 }],
    ['top_p is sent verbatim, also beside temperature', { temperature: 0, top_p: 0.5 }, { temperature: 0, top_p: 0.5 }],
    ['a stop string becomes a list', { stop: 'END' }, { stop_sequences: ['END'] }],
    [
      'a stop list is sent whole, blank entries too',
      { stop: ['a', '', ' ', 'b', 'c'] },
      { stop_sequences: ['a', '', ' ', 'b', 'c'] },
    ],
    ['an empty stop list is left out', { stop: [] }, {}],
    ['stream false is left out', { stream: false }, {}],
    ['stream true is kept', { stream: true, stream_options: { include_usage: true } }, { stream: true }],
    ['an empty list of tools is left out', { tools: [] }, {}],
    ['an empty list of functions is left out', { functions: [] }, {}],
    ['response format text is left out', { response_format: { type: 'text' } }, {}],
    ['service tier auto is left out', { service_tier: 'auto' }, {}],
    ['service tier default means standard only', { service_tier: 'default' }, { service_tier: 'standard_only' }],
    ['one choice is what there is', { n: 1 }, {}],
    ['logprobs false is left out', { logprobs: false, top_logprobs: 0 }, {}],
    ['an empty logit_bias is left out', { logit_bias: {} }, {}],
    ['text as the only modality is left out', { modalities: ['text'] }, {}],
    ['store false is left out', { store: false }, {}],
    ['an opaque user is sent verbatim', { user: 'user-8f3a' }, { metadata: { user_id: 'user-8f3a' } }],
    [
      'safety_identifier goes before user',
      { user: 'user-8f3a', safety_identifier: 'safe-1' },
      { metadata: { user_id: 'safe-1' } },
    ],
    ['an empty user is left out', { user: '' }, {}],
    ['an e-mail address is hashed', { user: 'a@b.no' }, { metadata: { user_id: sha256('a@b.no') } }],
    ['a phone number is hashed', { user: '+47 12 34 56 78' }, { metadata: { user_id: sha256('+47 12 34 56 78') } }],
    [
      'a UUID is no phone number',
      { user: '550e8400-e29b-41d4-a716-446655440000' },
      { metadata: { user_id: '550e8400-e29b-41d4-a716-446655440000' } },
    ],
    [
      'a user of more than 256 characters is hashed',
      { user: 'x'.repeat(257) },
      { metadata: { user_id: sha256('x'.repeat(257)) } },
    ],
  ]
  for (const [title, fields, expected] of sent) {
    test(title, () => assert.deepEqual(fieldsOf(fields), expected))
  }

  test('null equals absent, for known and unknown fields', () => {
    const names = ['temperature', 'top_p', 'max_tokens', 'stop', 'stream', 'tools', 'tool_choice', 'functions', 'n']
    const more = [
      'response_format',
      'reasoning_effort',
      'user',
      'metadata',
      'service_tier',
      'seed',
      'audio',
      'nonsense',
    ]
    const fields = Object.fromEntries([...names, ...more].map((name) => [name, null]))
    assert.deepEqual(fieldsOf(fields), {})
    assert.deepEqual(ignoredOf(fields), [])
  })
})

describe('the token limit', () => {
  for (const [title, fields, expected] of [
    ['max_tokens is sent verbatim, also 0', { max_tokens: 0 }, 0],
    ['max_completion_tokens becomes max_tokens', { max_completion_tokens: 77 }, 77],
    ['both equal is that value', { max_tokens: 5, max_completion_tokens: 5 }, 5],
  ] as const) {
    test(title, () => assert.equal(wireOf(fields)['max_tokens'], expected))
  }

  test('both different is refused as invalid_request', () => {
    const translation = translate({ max_tokens: 5, max_completion_tokens: 6 })
    assert.equal(translation.kind, 'refused')
    assert.equal(translation.kind === 'refused' && translation.code, 'invalid_request')
    assert.match(translation.kind === 'refused' ? translation.message.text : '', /max_tokens and max_completion_tokens/)
  })
})

describe('hints are dropped and reported', () => {
  for (const fields of [
    { stream_options: { include_usage: true } },
    { metadata: { team: 'a' } },
    { prompt_cache_key: 'k' },
    { prompt_cache_retention: '24h' },
    { prompt_cache_options: {} },
    { seed: 7 },
    { frequency_penalty: 0.1 },
    { presence_penalty: -1 },
    { verbosity: 'low' },
    { prediction: { type: 'content', content: 'x' } },
  ] as JsonObject[]) {
    const name = Object.keys(fields)[0] ?? ''
    test(name, () => {
      assert.deepEqual(fieldsOf(fields), {})
      assert.deepEqual(ignoredOf(fields), [name])
    })
  }

  test('of a stream, usage is honoured and other options are not', () => {
    assert.deepEqual(ignoredOf({ stream: true, stream_options: { include_usage: true } }), [])
    assert.deepEqual(ignoredOf({ stream: true, stream_options: { include_obfuscation: false } }), ['stream_options'])
  })

  test('a penalty of 0 has nothing to report', () => {
    assert.deepEqual(ignoredOf({ frequency_penalty: 0, presence_penalty: 0 }), [])
  })

  test('each name is listed once, in order of appearance', () => {
    const image = { type: 'image_url', image_url: { url: 'https://a.b/c.png', detail: 'high' } }
    const messages = [
      { role: 'user', name: 'ann', content: [image, image] },
      { role: 'user', name: 'bob', content: 'x' },
    ]
    assert.deepEqual(ignoredOf({ messages, seed: 1, verbosity: 'low' }), ['name', 'detail', 'seed', 'verbosity'])
  })
})

describe('fields that cannot be honoured are refused by name', () => {
  for (const fields of [
    { n: 2 },
    { logprobs: true },
    { top_logprobs: 3 },
    { logit_bias: { '50256': -100 } },
    { modalities: ['text', 'audio'] },
    { audio: { voice: 'alloy', format: 'mp3' } },
    { web_search_options: {} },
    { moderation: { model: 'x' } },
    { store: true },
    { service_tier: 'flex' },
    { service_tier: 'scale' },
    { service_tier: 'priority' },
    { service_tier: 'fast' },
    { response_format: { type: 'grammar' } },
  ] as JsonObject[]) {
    const name = Object.keys(fields)[0] ?? ''
    test(JSON.stringify(fields), () => assert.ok(refusalOf(fields).startsWith(name)))
  }

  for (const name of ['top_k', 'constructor', '__proto__', 'toString', 'thinking']) {
    test(`${name} is an unknown parameter`, () => {
      const fields = JSON.parse(`{"${name}": 1}`) as JsonObject
      assert.equal(refusalOf(Object.fromEntries(Object.entries(fields))), `unknown parameter '${name}'`)
    })
  }
})

test('a request that is not an object or has no messages is the caller’s mistake', () => {
  assert.match(mistakeOf({ messages: undefined }), /^messages/)
  assert.match(mistakeOf({ messages: 'hi' }), /^messages/)
  assert.match(mistakeOf({ messages: [] }), /^messages/)
})
