import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { UNKNOWN_TRAITS } from '../../domain/provider.ts'
import type { EndpointName, JsonObject } from '../../domain/request/call-request.ts'
import { NO_BOUNDS } from '../../domain/request/output-limit.ts'
import type { Accent, Target } from '../family.ts'
import { openaiFamily } from './openai-family.ts'

const ELSEWHERE = 'https://llm.example.com/v1'
const BODIES: { [Name in EndpointName]?: JsonObject } = {
  chat: { model: 'alias', messages: [{ role: 'user', content: 'hi' }], max_tokens: 5 },
  responses: { model: 'alias', input: 'hi', max_output_tokens: 5 },
  embeddings: { model: 'alias', input: 'hi' },
}

function translated(name: EndpointName, fields: JsonObject, more: Partial<Target> = {}) {
  const accent: Accent = { baseUrl: null, ...more }
  const translator = openaiFamily.translatorsFor?.('m', accent)[name] ?? assert.fail(name)
  const target = { model: 'm', traits: UNKNOWN_TRAITS, baseUrl: null, bounds: NO_BOUNDS, isStrict: true, ...more }
  return translator.toWire({ ...BODIES[name], ...fields } as never, target)
}

const PLACES: [what: string, more: Partial<Target>][] = [
  ["the vendor's service", {}],
  ['a compatible server', { baseUrl: ELSEWHERE }],
  ['a known vendor', { preset: 'openrouter' }],
  ['a server with options', { baseUrl: ELSEWHERE, settings: { system_role: 'system' } }],
]
const COSTLY: [name: EndpointName, fields: JsonObject][] = [
  ['chat', { web_search_options: {} }],
  ['chat', { plugins: [{ id: 'web' }] }],
  ['chat', { models: ['dearer'] }],
  ['chat', { provider: { order: ['dearer'] } }],
  ['chat', { search_parameters: { mode: 'on' } }],
  ['chat', { enable_search: true }],
  ['chat', { best_of: 20 }],
  ['chat', { extra_body: { n: 9 } }],
  ['chat', { background: true }],
  ['chat', { chat_template: '{{ messages * 1000 }}' }],
  ['chat', { input: 'a second prompt' }],
  ['chat', { __proto__: null, constructor: 1 }],
  ['responses', { plugins: [{ id: 'web' }] }],
  ['responses', { search_parameters: {} }],
  ['embeddings', { messages: [{ role: 'user', content: 'a second prompt' }] }],
  ['embeddings', { prompt: 'a second prompt' }],
  ['embeddings', { images: ['https://example.com/a.png'] }],
  ['embeddings', { service_tier: 'priority' }],
]

describe('a hard budget lets through only fields that cost nothing beside tokens', () => {
  for (const [where, more] of PLACES) {
    for (const [name, fields] of COSTLY) {
      test(`at ${where}, ${name} is refused with ${JSON.stringify(fields)}`, () => {
        const translation = translated(name, fields, more)
        assert.ok(translation.kind === 'refused', translation.kind)
        const [field] = Object.keys(fields)
        assert.equal(
          translation.message.text,
          `${field}: a hard budget applies, and what this costs is unknown; leave it out`,
        )
        assert.equal(translated(name, fields, { ...more, isStrict: false }).kind, 'wire')
      })
    }
    test(`at ${where}, a tool that the provider runs is refused, and one of the caller passes`, () => {
      const tools = (type: string) => translated('chat', { tools: [{ type: 'function' }, { type }] }, more).kind
      assert.deepEqual([tools('web_search'), tools('custom'), tools('function')], ['refused', 'wire', 'wire'])
    })
  }

  const usual = {
    chat: {
      ...{ temperature: 1, top_p: 1, n: 2, seed: 1, stop: 'x', stream: true, stream_options: {}, logprobs: true },
      ...{ top_logprobs: 1, logit_bias: {}, metadata: {}, user: 'u', store: true, safety_identifier: 'u' },
      ...{
        prompt_cache_key: 'k',
        parallel_tool_calls: false,
        reasoning_effort: 'low',
        response_format: { type: 'text' },
      },
      ...{ verbosity: 'low', prediction: { type: 'content' }, top_k: 1, min_p: 0.1, repetition_penalty: 1 },
      ...{ chat_template_kwargs: {}, modalities: ['text'], service_tier: 'default', frequency_penalty: 0 },
      ...{ tools: [{ type: 'function' }], tool_choice: 'auto', functions: [], reasoning: { effort: 'low' } },
      ...{ web_search_options: null, enable_search: false, best_of: undefined },
    },
    embeddings: { encoding_format: 'float', dimensions: 256, user: 'u', input_type: 'query', truncate: 'END' },
    responses: {
      ...{ instructions: 'x', tools: [], tool_choice: 'auto', parallel_tool_calls: true, reasoning: {}, store: false },
      ...{ include: [], prompt_cache_key: 'k', text: {}, client_metadata: {}, truncation: 'auto', metadata: {} },
      ...{ service_tier: 'flex', user: 'u', background: false, max_tool_calls: 1, prompt: null },
    },
  }
  for (const name of ['chat', 'responses', 'embeddings'] as const) {
    test(`what clients usually send with ${name} passes`, () => {
      for (const [, more] of PLACES) {
        const translation = translated(name, usual[name], { ...more, isOnly: true })
        assert.equal(translation.kind === 'wire' ? '' : translation.message.text, '')
      }
    })
  }

  test('a field that the row leaves out costs nothing', () => {
    const settings = { drop_params: ['plugins'] }
    assert.equal(translated('chat', { plugins: [] }, { baseUrl: ELSEWHERE, settings }).kind, 'wire')
  })

  test("answers with a prediction are held with the model's own limit: what of it is wrong is billed, too", () => {
    const bound = (fields: JsonObject, more = {}, name: EndpointName = 'chat') => {
      const translation = translated(name, fields, more)
      return translation.kind === 'wire' ? translation.bounds.outputTokens : translation
    }
    const prediction = { type: 'content', content: 'x' }
    assert.deepEqual([bound({}), bound({ prediction })], [5, null])
    assert.equal(bound({ prediction }, { isStrict: false }), 5)
    // Some servers think beyond the limit, up to their own budget.
    assert.equal(bound({ thinking: { type: 'enabled', budget_tokens: 90_000 } }), null)
    for (const name of ['chat', 'responses'] as const) {
      assert.equal(bound({ reasoning: { max_tokens: 90_000 } }, {}, name), null)
      assert.equal(bound({ reasoning: { effort: 'high' } }, {}, name), 5)
    }
  })
})

describe('the output limit under a hard budget', () => {
  const limits = (fields: JsonObject, more: Partial<Target> = {}) => {
    const translation = translated('chat', { max_tokens: null, ...fields }, { baseUrl: ELSEWHERE, ...more })
    assert.ok(translation.kind === 'wire')
    const { body, adjustments, bounds } = translation
    return [body['max_tokens'] ?? null, body['max_completion_tokens'] ?? null, adjustments.length, bounds.outputTokens]
  }

  test('goes under both names to a server that may ignore the newer one', () => {
    assert.deepEqual(limits({ max_completion_tokens: 1 }), [1, 1, 1, 1])
    assert.deepEqual(limits({ max_tokens: 1 }), [1, null, 0, 1])
    assert.deepEqual(limits({ max_tokens: 1, max_completion_tokens: 3 }), [1, 3, 0, 3])
  })

  test('stays as sent where the server is known, or no hard budget applies', () => {
    const sent = [null, 1, 0, 1]
    assert.deepEqual(limits({ max_completion_tokens: 1 }, { baseUrl: null }), sent)
    assert.deepEqual(limits({ max_completion_tokens: 1 }, { pins: [] }), sent)
    assert.deepEqual(limits({ max_completion_tokens: 1 }, { preset: 'azure' }), sent)
    assert.deepEqual(limits({ max_completion_tokens: 1 }, { isStrict: false }), sent)
    const renames = [{ from: 'max_tokens', to: 'max_completion_tokens' }]
    assert.deepEqual(limits({ max_completion_tokens: 1 }, { renames }), sent)
  })

  test('is none where one of its names has a value that some servers take for no limit', () => {
    for (const value of [-1, 0, 0.5]) {
      assert.equal(limits({ max_tokens: value, max_completion_tokens: 1 }).at(-1), null)
      assert.equal(limits({ max_tokens: 1, max_completion_tokens: value }).at(-1), null)
    }
  })
})

test('a service tier that is not known to have the list price is held at the dearest one', () => {
  const percents = (tier: unknown, name: EndpointName = 'chat') => {
    const translation = translated(name, { service_tier: tier }, { baseUrl: ELSEWHERE })
    return translation.kind === 'wire' ? translation.bounds.namedPercent : translation
  }
  for (const name of ['chat', 'responses'] as const) {
    for (const tier of ['auto', 'turbo', 'priority']) assert.equal(percents(tier, name), 200, tier)
    for (const tier of [null, 'default', 'flex', 'standard', 'on_demand']) assert.equal(percents(tier, name), 100)
  }
})
