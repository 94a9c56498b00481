import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ListedModel } from '../../domain/pricing/lists/listed-model.ts'
import { NO_PRICES, type PriceList } from '../../domain/pricing/price.ts'
import type { ModelFacts } from '../../store/control/registry.ts'
import { readModelsDev } from './import-models-dev.ts'
import { mergeListed } from './merge-listed.ts'

const read = (row: unknown) => readModelsDev({ vendor: { id: 'vendor', models: { 'model-1': row } } })
const one = (row: unknown): ListedModel => {
  const { models, skipped } = read(row)
  assert.deepEqual(skipped, [])
  const [model] = models
  assert.ok(model)
  return model
}
const cost = { input: 2.5, output: 10, cache_read: 1.25, cache_write: 3.125 }

describe('a model of models.dev', () => {
  test('gives exact prices, windows and capabilities', () => {
    const model = one({
      cost,
      limit: { context: 400000, input: 272000, output: 128000 },
      tool_call: true,
      reasoning: true,
      structured_output: true,
      modalities: { input: ['text', 'image', 'pdf'], output: ['text'] },
      status: 'deprecated',
    })
    assert.deepEqual(model.prices, {
      ...NO_PRICES,
      input_per_mtok: '2.5',
      cached_input_per_mtok: '1.25',
      cache_write_5m_per_mtok: '3.125',
      cache_write_30m_per_mtok: '3.125',
      output_per_mtok: '10',
      tiers: [],
    })
    assert.deepEqual([model.contextWindow, model.maxInputTokens, model.maxOutputTokens], [400000, 272000, 128000])
    assert.deepEqual(model.capabilities, ['vision', 'pdf', 'tools', 'json_schema', 'reasoning', 'prompt_caching'])
    assert.equal(model.deprecated, true)
  })

  test('may price audio of the prompt and of the answer', () => {
    const { prices } = one({ cost: { ...cost, input_audio: 32, output_audio: 64 } })
    const { audio_input_per_mtok: heard, audio_output_per_mtok: spoken, image_output_per_mtok: drawn } = prices
    assert.deepEqual([heard, spoken, drawn], ['32', '64', null])
  })

  test('has tiers by context size; the older spelling counts only without them', () => {
    const tier = { input: 5, output: 20, tier: { type: 'context', size: 272000 } }
    const both = one({ cost: { ...cost, tiers: [tier], context_over_200k: { input: 9, output: 9 } } })
    assert.deepEqual(
      both.prices.tiers.map((found) => [found.prompt_tokens_above, found.input_per_mtok, found.cached_input_per_mtok]),
      [[272000, '5', null]],
    )
    const older = one({ cost: { ...cost, context_over_200k: { input: 5, output: 20, cache_read: 2.5 } } })
    assert.deepEqual(
      older.prices.tiers.map((found) => [found.prompt_tokens_above, found.input_per_mtok, found.cached_input_per_mtok]),
      [[200000, '5', '2.5']],
    )
  })

  const prices: [value: unknown, price: string][] = [
    [0, '0'],
    [0.1, '0.1'],
    [0.29, '0.29'],
    [1.1, '1.1'],
    [1e-6, '0.000001'],
    [75, '75'],
  ]
  for (const [input, price] of prices) {
    test(`${JSON.stringify(input)} is ${price}`, () =>
      assert.equal(one({ cost: { input, output: 1 } }).prices.input_per_mtok, price))
  }

  const skipped: [title: string, row: unknown, reason: RegExp][] = [
    ['nothing', null, /not an object/],
    ['no cost', { limit: {} }, /no prices/],
    ['half a price', { cost: { input: 1 } }, /no price per token/],
    ['a sum that floating point spoilt', { cost: { input: 0.1 + 0.2, output: 1 } }, /input: .*six decimals/],
    ['1e-7', { cost: { input: 1e-7, output: 1 } }, /six decimals/],
    ['5e-324', { cost: { input: 5e-324, output: 1 } }, /six decimals/],
    ['a negative price', { cost: { input: -1, output: 1 } }, /-1 is not a price/],
    ['NaN as text', { cost: { input: 'NaN', output: 1 } }, /not a price/],
    ['dearer reasoning', { cost: { ...cost, reasoning: 12 } }, /reasoning/],
    ['tiers by output', { cost: { ...cost, tiers: [{ tier: { type: 'output', size: 1 } }] } }, /context size/],
    ['tiers that are no list', { cost: { ...cost, tiers: {} } }, /tiers/],
  ]
  for (const [title, row, reason] of skipped) {
    test(`with ${title} is skipped with the reason`, () => {
      const list = read(row)
      assert.deepEqual(list.models, [])
      assert.match(list.skipped[0]?.reason ?? '', reason)
    })
  }

  test('a provider without models does not stop the others', () => {
    const list = readModelsDev({ a: 1, b: { models: [] }, c: { models: { x: { cost } } } })
    assert.deepEqual([list.models.map(({ name }) => name), list.skipped.map(({ name }) => name)], [['c/x'], ['a', 'b']])
  })
})

describe('a listed model meets what is known of it', () => {
  const facts: ModelFacts = {
    provider: 'mine',
    model: 'model-1',
    aliases: ['alias-1'],
    contextWindow: 400000,
    maxOutputTokens: 64000,
    maxInputTokens: null,
    capabilities: ['sampling', 'tools'],
    efforts: ['low'],
    deprecated: false,
    shutdownDate: null,
    mode: 'chat',
    note: 'a note',
  }
  const prices = (more: Partial<PriceList>): PriceList => ({
    ...NO_PRICES,
    input_per_mtok: '1',
    cached_input_per_mtok: '0.1',
    output_per_mtok: '2',
    tiers: [],
    ...more,
  })
  const today = '2026-11-15'

  test('keeps what the list does not say', () => {
    const merged = mergeListed(
      one({ cost: { input: 3, output: 4 }, reasoning: true }),
      'mine',
      { facts, prices: prices({}) },
      today,
    )
    assert.deepEqual(merged.facts, { ...facts, capabilities: ['sampling', 'tools', 'reasoning'] })
    assert.deepEqual([merged.prices?.input_per_mtok, merged.prices?.cached_input_per_mtok], ['3', null])
  })

  test('keeps the price of a lifetime that the list has no word for', () => {
    const known = prices({ cache_write_5m_per_mtok: '1.25', cache_write_1h_per_mtok: '2' })
    const merged = mergeListed(one({ cost }), 'mine', { facts, prices: known }, today).prices
    assert.deepEqual(
      [merged?.cache_write_5m_per_mtok, merged?.cache_write_30m_per_mtok, merged?.cache_write_1h_per_mtok],
      ['3.125', null, '2'],
    )
  })

  test('a model with the other lifetime gets its price there, in tiers too', () => {
    const known = prices({ cache_write_30m_per_mtok: '1.25' })
    const tiered = one({ cost: { ...cost, context_over_200k: cost } })
    const merged = mergeListed(tiered, 'mine', { facts, prices: known }, today).prices
    const lifetimes = (list: PriceList | PriceList['tiers'][number] | undefined) => [
      list?.cache_write_5m_per_mtok,
      list?.cache_write_30m_per_mtok,
    ]
    assert.deepEqual(lifetimes(merged ?? undefined), [null, '3.125'])
    assert.deepEqual(lifetimes(merged?.tiers[0]), [null, '3.125'])
  })

  test('is deprecated from the day that it ends', () => {
    const ends = (shutdownDate: string) =>
      mergeListed({ ...one({ cost }), shutdownDate }, 'mine', null, today).facts.deprecated
    assert.deepEqual([ends('2026-11-14'), ends('2026-11-15'), ends('2026-11-16')], [true, true, false])
  })

  test('a new model has the window for its input, where no other is listed', () => {
    const merged = mergeListed({ ...one({ cost }), maxInputTokens: 1000 }, 'mine', null, today)
    assert.deepEqual([merged.facts.contextWindow, merged.facts.maxInputTokens], [1000, 1000])
  })
})
