import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chatOf } from '../../../../test/fixtures/openai/chat-of.ts'
import { UNKNOWN_TRAITS } from '../../../domain/provider.ts'
import type { ChatRequest } from '../../../domain/request/chat.ts'
import { NO_BOUNDS } from '../../../domain/request/output-limit.ts'

const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } }
const REFUSED: [preset: string, fields: object, field: RegExp, more?: object][] = [
  ['mistral', { logprobs: true }, /^logprobs: /],
  ['mistral', { logit_bias: { 1: 2 } }, /^logit_bias: /],
  ['groq', { n: 2 }, /^n: /],
  ['groq', { top_logprobs: 2 }, /^logprobs: /],
  ['deepseek', { response_format: { type: 'json_schema', json_schema: {} } }, /^response_format: /],
  ['deepseek', { messages: [{ role: 'user', content: [image] }] }, /^image_url: /],
  ['ollama', { messages: [{ role: 'user', content: [image] }] }, /^image_url: .*data URLs/],
  ['lmstudio', { response_format: { type: 'json_object' } }, /^response_format: json_object/],
  ['xai', { stop: 'x' }, /^stop: /, { model: 'grok-4' }],
  ['openrouter', { models: ['a'] }, /^models: a hard budget/, { isStrict: true }],
  ['mistral', { tools: [{ type: 'web_search' }] }, /^tools: a hard budget/, { isStrict: true }],
]
for (const [preset, fields, field, more = {}] of REFUSED) {
  test(`${preset} leaves ${JSON.stringify(fields)} to the next entry`, () => {
    const request = { model: 'alias', messages: [{ role: 'user', content: 'hi' }], ...fields } as ChatRequest
    const target = { model: 'm', traits: UNKNOWN_TRAITS, baseUrl: null, bounds: NO_BOUNDS, ...more }
    const translation = chatOf(preset).toWire(request, target)
    assert.equal(translation.kind, 'refused')
    assert.match(translation.kind === 'refused' ? translation.message.text : '', field)
  })
}

const EFFORTS: [model: string, isKept: boolean][] = [
  ['grok-4', false],
  ['grok-4-fast-reasoning', false],
  ['grok-4.1-fast-reasoning', false],
  ['grok-4.3', true],
  ['grok-5-preview', true],
  ['grok-3-mini', true],
  ['grok-4-fast-non-reasoning', true],
]
for (const [model, isKept] of EFFORTS) {
  test(`xai: ${model} ${isKept ? 'keeps' : 'loses'} its effort`, () => {
    const { body, ignored } = sent(model)
    assert.equal('reasoning_effort' in body, isKept)
    assert.equal(ignored.includes('reasoning_effort'), !isKept)
    assert.equal('presence_penalty' in body, model.includes('non-reasoning'))
  })
}

function sent(model: string) {
  const request = {
    model: 'alias',
    messages: [{ role: 'user', content: 'hi' }],
    reasoning_effort: 'low',
    presence_penalty: 1,
  } as ChatRequest
  const translation = chatOf('xai').toWire(request, { model, traits: UNKNOWN_TRAITS, baseUrl: null, bounds: NO_BOUNDS })
  assert.ok(translation.kind === 'wire')
  return translation
}
