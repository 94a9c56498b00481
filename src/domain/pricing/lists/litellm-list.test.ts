import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readLitellm } from './litellm-list.ts'

const row = (more: Record<string, unknown>) => ({
  litellm_provider: 'vendor',
  mode: 'chat',
  input_cost_per_token: 1.5e-7,
  output_cost_per_token: 6e-7,
  ...more,
})
const NO_TOKENS = { input_cost_per_token: undefined, output_cost_per_token: undefined }
const read = (more: Record<string, unknown>, name = 'model-1') => readLitellm({ [name]: row(more) })
const one = (more: Record<string, unknown>, name?: string) => {
  const { models, skipped } = read(more, name)
  assert.deepEqual(skipped, [])
  const [model] = models
  assert.ok(model)
  return model
}

describe('a row of the community list', () => {
  test('gives exact prices per million tokens', () => {
    const { prices } = one({
      cache_read_input_token_cost: 3e-8,
      cache_creation_input_token_cost: 1.875e-7,
      cache_creation_input_token_cost_above_1hr: 3e-7,
      input_cost_per_audio_token: 1e-6,
      output_cost_per_audio_token: 0.00008,
      input_cost_per_image_token: 8e-6,
      output_cost_per_image_token: 3e-5,
    })
    assert.deepEqual(prices, {
      input_per_mtok: '0.15',
      cached_input_per_mtok: '0.03',
      cache_write_5m_per_mtok: '0.1875',
      cache_write_30m_per_mtok: '0.1875',
      cache_write_1h_per_mtok: '0.3',
      audio_input_per_mtok: '1',
      image_input_per_mtok: '8',
      output_per_mtok: '0.6',
      audio_output_per_mtok: '80',
      image_output_per_mtok: '30',
      tiers: [],
    })
  })

  test('gives windows, capabilities and the day it ends', () => {
    const model = one({
      max_input_tokens: 128000,
      max_output_tokens: '16384',
      max_tokens: 1,
      supports_vision: true,
      supports_function_calling: true,
      supports_prompt_caching: false,
      supports_response_schema: true,
      supports_reasoning: true,
      supports_web_search: true,
      deprecation_date: '2026-10-23',
    })
    assert.deepEqual([model.contextWindow, model.maxInputTokens, model.maxOutputTokens], [null, 128000, 16384])
    assert.deepEqual(model.capabilities, ['vision', 'tools', 'json_schema', 'reasoning'])
    assert.equal(model.shutdownDate, '2026-10-23')
  })

  test('gives a tier for every threshold; what a tier leaves out costs as below it', () => {
    const { prices } = one({
      cache_read_input_token_cost: 1e-8,
      input_cost_per_token_above_200k_tokens: 3e-7,
      output_cost_per_token_above_200k_tokens: 9e-7,
      cache_creation_input_token_cost_above_1hr_above_200k_tokens: 6e-7,
      input_cost_per_token_above_128k_tokens: 2e-7,
      input_cost_per_token_above_272k_tokens_priority: 1,
      input_cost_per_token_priority: 1,
      input_cost_per_token_batches: 1,
    })
    assert.deepEqual(
      prices.tiers.map((tier) => [
        tier.prompt_tokens_above,
        tier.input_per_mtok,
        tier.output_per_mtok,
        tier.cached_input_per_mtok,
        tier.cache_write_1h_per_mtok,
      ]),
      [
        [128_000, '0.2', '0.6', '0.01', null],
        [200_000, '0.3', '0.9', '0.01', '0.6'],
      ],
    )
  })

  const names: [name: string, model: string][] = [
    ['model-1', 'model-1'],
    ['vendor/model-1', 'model-1'],
    ['vendor/eu/model-1', 'eu/model-1'],
    ['vendors/model-1', 'vendors/model-1'],
    ['ft:model-1', 'ft:model-1'],
  ]
  for (const [name, model] of names)
    test(`${name} is the model ${model}`, () => assert.equal(one({}, name).model, model))

  test('of an embedding model costs nothing for output', () => {
    const model = one({ mode: 'embedding', output_cost_per_token: undefined })
    assert.deepEqual([model.mode, model.prices.output_per_mtok], ['embedding', '0'])
  })

  const exact: [value: unknown, price: string][] = [
    [0, '0'],
    [0.0, '0'],
    [1e-12, '0.000001'],
    [5.46875e-7, '0.546875'],
    [1e-7, '0.1'],
    [2.5e-6, '2.5'],
    [0.00006, '60'],
    [0.0000011, '1.1'],
    ['1.5e-07', '0.15'],
  ]
  for (const [value, price] of exact) {
    test(`${JSON.stringify(value)} per token is ${price} per million`, () =>
      assert.equal(one({ input_cost_per_token: value }).prices.input_per_mtok, price))
  }

  const skipped: [title: string, more: Record<string, unknown>, reason: RegExp][] = [
    ['more than six decimals', { input_cost_per_token: 1.23456789e-7 }, /input_cost_per_token: 0\.123456789 .*six/],
    ['the smallest double', { input_cost_per_token: 5e-324 }, /input_cost_per_token: .*six decimals/],
    ['a huge price', { input_cost_per_token: 1e300 }, /too large/],
    ['a negative price', { output_cost_per_token: -1e-7 }, /output_cost_per_token: -1e-7 is not a price/],
    ['NaN as text', { input_cost_per_token: 'NaN' }, /"NaN" is not a price/],
    ['words', { input_cost_per_token: 'ask sales' }, /is not a price/],
    ['a list', { input_cost_per_token: [1] }, /is not a price/],
    ['a bad price in a tier', { input_cost_per_token_above_200k_tokens: 1e-13 }, /above_200k_tokens: .*six decimals/],
    ['no prices', { input_cost_per_token: undefined, output_cost_per_token: null }, /no price per token/],
    ['half a price', { output_cost_per_token: undefined }, /no price per token/],
    ['video', { mode: 'video_generation' }, /mode are not served/],
    ['no known price of images', { mode: 'image_generation', ...NO_TOKENS }, /no price per token or unit/],
    ['a rerank model at 0', { mode: 'rerank', input_cost_per_token: 0, output_cost_per_token: 0 }, /no price/],
    ['no provider', { litellm_provider: undefined }, /litellm_provider/],
    ['dearer reasoning', { output_cost_per_reasoning_token: 9e-7 }, /separate price for reasoning/],
    ['tiers of another kind', { tiered_pricing: [{ range: [0, 1] }] }, /tiered_pricing/],
  ]
  for (const [title, more, reason] of skipped) {
    test(`with ${title} is skipped with the reason`, () => {
      const list = read(more)
      assert.deepEqual(list.models, [])
      assert.equal(list.skipped[0]?.name, 'model-1')
      assert.match(list.skipped[0]?.reason ?? '', reason)
    })
  }

  test('that is no object does not stop the others', () => {
    const list = readLitellm({ a: 7, b: null, c: row({}), __proto__: row({}) })
    assert.deepEqual([list.models.map(({ name }) => name), list.skipped.map(({ name }) => name)], [['c'], ['a', 'b']])
  })

  test('reasoning at the same price as output is fine', () => {
    assert.equal(one({ output_cost_per_reasoning_token: 0.0000006 }).prices.output_per_mtok, '0.6')
  })
})

describe('a row that is billed by units', () => {
  const cases: [what: string, more: Record<string, unknown>, units: string[]][] = [
    [
      'audio has one price of time, said twice',
      { mode: 'audio_transcription', input_cost_per_second: 1e-4, output_cost_per_second: 0 },
      ['audio_input 0.1'],
    ],
    [
      'whichever of them is there',
      { mode: 'audio_transcription', output_cost_per_second: 7.167e-5 },
      ['audio_input 0.07167'],
    ],
    ['speech has characters', { mode: 'audio_speech', input_cost_per_character: 1.5e-5 }, ['character 0.015']],
    [
      'a search',
      { mode: 'rerank', input_cost_per_query: 0.002, input_cost_per_token: 0, output_cost_per_token: 0 },
      ['search_unit 2'],
    ],
    ['an image', { mode: 'image_generation', output_cost_per_image: 0.04, input_cost_per_image: 0.001 }, ['image 40']],
  ]
  for (const [what, more, units] of cases) {
    test(what, () => {
      const { prices } = one({ ...NO_TOKENS, ...more })
      assert.deepEqual(
        prices.unit_prices?.map(({ name, usd_per_1000 }) => `${name} ${usd_per_1000}`),
        units,
      )
      assert.equal(prices.input_per_mtok, null)
    })
  }

  test('of time was rounded by the list, and says so', () =>
    assert.match(one({ ...NO_TOKENS, mode: 'audio_transcription', input_cost_per_second: 1e-4 }).note ?? '', /rounded/))

  test('and by tokens has tokens', () => {
    const tokens = { input_cost_per_token: 5e-6, output_cost_per_token: undefined, output_cost_per_image_token: 3e-5 }
    const { prices } = one({ mode: 'image_generation', ...tokens, output_cost_per_image: 0.04 })
    assert.deepEqual(
      [prices.unit_prices, prices.output_per_mtok, prices.image_output_per_mtok],
      [undefined, '30', '30'],
    )
  })

  test('for each size is one model', () => {
    const image = (more: object) => row({ ...NO_TOKENS, mode: 'image_generation', ...more })
    const { models, skipped } = readLitellm({
      'vendor/1024-x-1024/draw': image({ input_cost_per_pixel: 1.9e-8 }),
      'vendor/standard/1024-x-1536/draw': image({ input_cost_per_image: 0.05 }),
      'vendor/hd/1024-x-1024/draw': image({ input_cost_per_image: 0.08 }),
      'vendor/draw': image({ output_cost_per_image: 0.1 }),
    })
    assert.deepEqual([models.length, skipped], [1, []])
    assert.deepEqual(models[0]?.prices.unit_prices?.map(({ name, usd_per_1000 }) => `${name} ${usd_per_1000}`).sort(), [
      'image 100',
      'image:1024x1024:hd 80',
      'image:1024x1024:low 19.922944',
      'image:1024x1536:low 50',
    ])
  })
})
