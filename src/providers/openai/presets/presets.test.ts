import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chatOf } from '../../../../test/fixtures/openai/chat-of.ts'
import { type Provider, UNKNOWN_TRAITS } from '../../../domain/provider.ts'
import type { ChatRequest } from '../../../domain/request/chat.ts'
import { NO_BOUNDS } from '../../../domain/request/output-limit.ts'
import { PRESETS } from '../../presets.ts'
import { openaiFamily } from '../openai-family.ts'
import { VENDORS } from './vendors.ts'

const provider: Provider = {
  name: 'row',
  family: 'openai',
  baseUrl: null,
  apiKey: 'key-of-the-row',
  headers: {},
  onCallerLeft: 'abort',
}

test('every preset has an address or none, a dated source, and options that a row could set', () => {
  assert.deepEqual([...PRESETS.keys()], [...VENDORS.keys()])
  for (const [name, { baseUrl, source, options, hasNoChat }] of VENDORS) {
    assert.match(source, /\d{4}-\d\d-\d\d$/, name)
    assert.ok(baseUrl === null || new URL(baseUrl).protocol === 'https:', name)
    assert.equal(openaiFamily.settings?.safeParse(options).success, true, name)
    if (hasNoChat === true) continue
    const { url, headers } = chatOf(name).target(
      { ...provider, preset: name, baseUrl: baseUrl ?? 'http://host/v1' },
      'm',
    )
    assert.equal(new URL(url).pathname.endsWith('/chat/completions'), true, name)
    assert.equal(
      Object.values(headers).some((value) => value.includes('key-of-the-row')),
      true,
      name,
    )
  }
})

test("a row's own options win over its preset", () => {
  const chat = chatOf('mistral', { drop_params: ['seed'], stream_usage: 'ask' })
  const request = {
    model: 'a',
    messages: [{ role: 'user', content: 'x' }],
    seed: 1,
    user: 'u',
    stream: true,
  } as ChatRequest
  const target = { model: 'm', traits: UNKNOWN_TRAITS, baseUrl: null, bounds: NO_BOUNDS }
  const translation = chat.toWire(request, target)
  assert.ok(translation.kind === 'wire')
  assert.deepEqual(translation.ignored, ['seed'])
  assert.equal(translation.body['user'], 'u')
  assert.deepEqual(translation.body['stream_options'], { include_usage: true })
})

test('a row without options is served by the very same translators', () => {
  const plain = openaiFamily.translatorsFor?.('m', { baseUrl: null })
  assert.equal(plain, openaiFamily.translators)
  const empty = openaiFamily.translatorsFor?.('m', { baseUrl: null, settings: {} })
  assert.equal(empty, openaiFamily.translators)
})
