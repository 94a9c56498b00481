import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fieldsOf, translate, wireOf } from '../../../../test/fixtures/gemini/translate.ts'
import { UNKNOWN_TRAITS } from '../../../domain/provider.ts'
import type { JsonObject } from '../../../domain/request/call-request.ts'
import type { Target } from '../../family.ts'

const config = (generationConfig: JsonObject) => ({ generationConfig })

describe('fields of the request', () => {
  const cases: [what: string, fields: JsonObject, expected: JsonObject][] = [
    ['nothing', {}, {}],
    ['null is nothing', { temperature: null, tools: null }, {}],
    ['max_tokens', { max_tokens: 7 }, config({ maxOutputTokens: 7 })],
    ['max_completion_tokens', { max_completion_tokens: 7 }, config({ maxOutputTokens: 7 })],
    ['both, if they agree', { max_tokens: 7, max_completion_tokens: 7 }, config({ maxOutputTokens: 7 })],
    ['sampling', { temperature: 0, top_p: 0.5, seed: 4 }, config({ temperature: 0, topP: 0.5, seed: 4 })],
    ['penalties', { presence_penalty: 1, frequency_penalty: -1 }, config({ presencePenalty: 1, frequencyPenalty: -1 })],
    ['n', { n: 3 }, config({ candidateCount: 3 })],
    ['one stop', { stop: 'END' }, config({ stopSequences: ['END'] })],
    ['several stops', { stop: ['a', 'b'] }, config({ stopSequences: ['a', 'b'] })],
    ['no stop', { stop: [] }, {}],
    ['json', { response_format: { type: 'json_object' } }, config({ responseMimeType: 'application/json' })],
    ['text', { response_format: { type: 'text' } }, {}],
    [
      'a schema, as it is',
      { response_format: { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object' } } } },
      config({ responseMimeType: 'application/json', responseJsonSchema: { type: 'object' } }),
    ],
    ['no tier', { service_tier: 'auto' }, {}],
    ['the default tier', { service_tier: 'default' }, { serviceTier: 'standard' }],
    ['flex', { service_tier: 'flex' }, { serviceTier: 'flex' }],
    ['priority', { service_tier: 'priority' }, { serviceTier: 'priority' }],
    [
      'what asks for nothing',
      { logprobs: false, top_logprobs: 0, logit_bias: {}, store: false, modalities: ['text'] },
      {},
    ],
    ['the stream is a path', { stream: true, stream_options: { include_usage: true } }, {}],
  ]
  for (const [what, fields, expected] of cases) test(what, () => assert.deepEqual(fieldsOf(fields), expected))

  test('safety settings are the operator’s, as they are', () => {
    const safety_settings = [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }]
    assert.deepEqual(fieldsOf({}, { settings: { safety_settings } }), { safetySettings: safety_settings })
  })
})

describe('reasoning_effort', () => {
  const flash3 = 'gemini-3.5-flash'
  const cases: [model: string, effort: string, expected: JsonObject | null, isReported: boolean][] = [
    [flash3, 'none', { thinkingLevel: 'MINIMAL' }, true],
    [flash3, 'minimal', { thinkingLevel: 'MINIMAL' }, false],
    [flash3, 'low', { thinkingLevel: 'LOW' }, false],
    [flash3, 'medium', { thinkingLevel: 'MEDIUM' }, false],
    [flash3, 'high', { thinkingLevel: 'HIGH' }, false],
    [flash3, 'xhigh', { thinkingLevel: 'HIGH' }, true],
    [flash3, 'max', { thinkingLevel: 'HIGH' }, true],
    ['gemini-3.7-flash', 'minimal', { thinkingLevel: 'LOW' }, true],
    ['gemini-3.8-flash', 'none', { thinkingLevel: 'LOW' }, true],
    ['gemini-3.8-flash', 'low', { thinkingLevel: 'LOW' }, false],
    ['gemini-flash-latest', 'minimal', { thinkingLevel: 'LOW' }, true],
    ['gemini-flash-latest', 'low', { thinkingLevel: 'LOW' }, false],
    ['gemini-3-pro-preview', 'medium', { thinkingLevel: 'LOW' }, true],
    ['gemini-3-pro-preview', 'minimal', { thinkingLevel: 'LOW' }, true],
    ['gemini-3.1-pro', 'medium', { thinkingLevel: 'MEDIUM' }, false],
    ['gemini-2.5-flash', 'none', { thinkingBudget: 0 }, false],
    ['gemini-2.5-pro', 'none', { thinkingBudget: 128 }, true],
    ['gemini-2.5-flash', 'low', { thinkingBudget: 1024 }, false],
    ['gemini-2.5-flash', 'medium', { thinkingBudget: 8192 }, false],
    ['gemini-2.5-flash', 'high', { thinkingBudget: 24_576 }, false],
    ['gemini-2.5-flash', 'max', { thinkingBudget: 24_576 }, true],
    ['gemini-2.0-flash', 'high', null, true],
    ['gemma-4-27b-it', 'high', null, true],
  ]
  for (const [model, effort, expected, isReported] of cases) {
    test(`${effort} at ${model}`, () => {
      const { body, ignored } = wireOf({ reasoning_effort: effort }, { model })
      assert.deepEqual(body['generationConfig'], expected === null ? undefined : { thinkingConfig: expected })
      assert.deepEqual(ignored, isReported ? ['reasoning_effort'] : [])
    })
  }

  test('levels of the registry win over the name', () => {
    const traits = { ...UNKNOWN_TRAITS, efforts: ['low', 'medium'] }
    const { body } = wireOf({ reasoning_effort: 'high' }, { model: flash3, traits })
    assert.deepEqual(body['generationConfig'], { thinkingConfig: { thinkingLevel: 'MEDIUM' } })
  })

  test('a model that does not think is not told to', () => {
    const traits = { ...UNKNOWN_TRAITS, thinking: [] }
    assert.deepEqual(
      wireOf({ reasoning_effort: 'high' }, { model: flash3, traits }).body['generationConfig'],
      undefined,
    )
  })
})

test('hints are dropped and named', () => {
  const hints = {
    user: 'u',
    safety_identifier: 's',
    metadata: {},
    prompt_cache_key: 'k',
    verbosity: 'low',
    prediction: {},
  }
  assert.deepEqual(wireOf({ ...hints, stream_options: {} }).ignored, [...Object.keys(hints), 'stream_options'])
})

describe('what cannot be honoured is refused', () => {
  const cases: [fields: JsonObject, message: RegExp][] = [
    [{ logprobs: true }, /^logprobs: this value is not supported/],
    [{ top_logprobs: 2 }, /^top_logprobs/],
    [{ logit_bias: { 5: 1 } }, /^logit_bias/],
    [{ modalities: ['text', 'audio'] }, /^modalities/],
    [{ audio: {} }, /^audio/],
    [{ web_search_options: {} }, /^web_search_options/],
    [{ store: true }, /^store/],
    [{ service_tier: 'scale' }, /^service_tier: 'scale' is not supported/],
    [{ reasoning_effort: 'huge' }, /^reasoning_effort: 'huge'/],
    [{ response_format: { type: 'grammar' } }, /^response_format.type: 'grammar'/],
    [{ surprise: 1 }, /^unknown parameter 'surprise'/],
  ]
  for (const [fields, message] of cases) {
    test(JSON.stringify(fields), () => {
      const translation = translate(fields)
      assert.equal(translation.kind, 'refused', JSON.stringify(translation))
      assert.match(translation.kind === 'refused' ? translation.message.text : '', message)
    })
  }

  test('two limits that differ are a conflict', () => {
    assert.partialDeepStrictEqual(translate({ max_tokens: 1, max_completion_tokens: 2 }), { code: 'invalid_request' })
  })
})

describe('bounds and limits', () => {
  const of = (fields: JsonObject, target: Partial<Target> = {}) => {
    const { bounds, adjustments, body } = wireOf(fields, target)
    return { bounds, adjustments, config: body['generationConfig'] }
  }
  const plain = { outputTokens: null, answers: 1, namedPercent: 100, accountPercent: 100 }
  const traits = { ...UNKNOWN_TRAITS, maxOutputTokens: 65_536 }

  test('without a limit the model’s own one counts', () => assert.deepEqual(of({}).bounds, plain))
  test('each answer may reach the limit, thoughts included', () => {
    assert.deepEqual(of({ max_tokens: 9, n: 4 }).bounds, { ...plain, outputTokens: 9, answers: 4 })
  })
  test('a dearer tier is held for, a cheaper one not at a discount', () => {
    assert.deepEqual(of({ service_tier: 'priority' }).bounds, { ...plain, namedPercent: 200, accountPercent: 200 })
    assert.deepEqual(of({ service_tier: 'flex' }).bounds, plain)
  })
  test('a default limit, and one that fits a budget', () => {
    assert.deepEqual(of({}, { bounds: { default: 50, most: null } }).adjustments, [
      { field: 'maxOutputTokens', value: 50, reason: 'default_limit' },
    ])
    assert.deepEqual(of({ max_tokens: 90 }, { bounds: { default: 50, most: 60 } }).adjustments, [
      { field: 'maxOutputTokens', value: 60, reason: 'fitted_to_budget' },
    ])
  })
  test('under a hard budget the model’s own limit is sent', () => {
    const { adjustments, config, bounds } = of({}, { isStrict: true, traits })
    assert.deepEqual(adjustments, [{ field: 'maxOutputTokens', value: 65_536, reason: 'pinned' }])
    assert.deepEqual([config, bounds.outputTokens], [{ maxOutputTokens: 65_536 }, 65_536])
    assert.deepEqual(of({ max_tokens: 5 }, { isStrict: true, traits }).adjustments, [])
    assert.deepEqual(of({ max_tokens: 0 }, { isStrict: true, traits }).bounds.outputTokens, 65_536)
  })
})
