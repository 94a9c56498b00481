import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyUsage } from '../../../test/calls/any-usage.ts'
import { fc } from '../../../test/property.ts'
import { perClass } from './classes.ts'
import { costLines, costWords } from './cost-lines.ts'
import { asPicodollars, compilePrice, costOf, NO_PRICES, type PriceList, usdWithSixDecimals } from './price.ts'
import { UNITS } from './unit-prices.ts'
import { NO_USAGE, promptTokens } from './usage.ts'

const list: PriceList = {
  ...NO_PRICES,
  input_per_mtok: '2.5',
  cached_input_per_mtok: '0.25',
  cache_write_1h_per_mtok: '5',
  output_per_mtok: '15',
  tiers: [],
}

test('every class with tokens has a line, the sum is the total', () => {
  const cost = costLines({ ...NO_USAGE, input: 1000, cachedInput: 400, cacheWrite5m: 10, output: 20 }, list)
  assert.deepEqual(costWords(cost!), [
    'input: 1000 tokens × 2.5 USD per million = 0.0025 USD',
    'cached input: 400 tokens × 0.25 USD per million = 0.0001 USD',
    'cache write (5 minutes): 10 tokens × 2.5 USD per million = 0.000025 USD (no price of its own: priced as input)',
    'output: 20 tokens × 15 USD per million = 0.0003 USD',
    'total: 0.002925 USD',
  ])
})

test('audio and images of an answer have lines of their own, and the text what they leave', () => {
  const used = { ...NO_USAGE, output: 100, reasoning: 20, audioOutput: 30, imageOutput: 50 }
  const cost = costLines(used, { ...list, audio_output_per_mtok: '60' })
  assert.deepEqual(costWords(cost!), [
    'output: 20 tokens × 15 USD per million = 0.0003 USD',
    'audio output: 30 tokens × 60 USD per million = 0.0018 USD',
    'image output: 50 tokens × 15 USD per million = 0.00075 USD (no price of its own: priced as output)',
    'total: 0.00285 USD',
  ])
})

test('a tier and a percentage are named', () => {
  const tiers = [
    { ...list, prompt_tokens_above: 100, input_per_mtok: '3' },
    { ...list, prompt_tokens_above: 200, input_per_mtok: '4' },
  ]
  const cost = costLines({ ...NO_USAGE, input: 201, pricePercent: 110 }, { ...list, tiers })
  assert.deepEqual(costWords(cost!), [
    'the prompt is longer than 200 tokens, so the prices of that tier apply to the whole call',
    'input: 201 tokens × 4 USD per million = 0.000804 USD',
    'the provider charges 110 % of the list price: 0.000804 × 110 % = 0.0008844 USD, rounded half up to a picodollar',
    'total: 0.0008844 USD',
  ])
})

test('tools have lines of their own, and no percentage applies to them', () => {
  const unit_prices: PriceList['unit_prices'] = [
    { name: 'file_search', unit: 'call', usd_per_1000: '2.5' },
    { name: 'google_search', unit: 'request', usd_per_1000: '35' },
  ]
  const used = { ...NO_USAGE, input: 10, pricePercent: 200, uses: { file_search: 3, google_search: 4 } }
  const cost = costLines(used, { ...list, unit_prices })
  assert.deepEqual(costWords(cost!).slice(1), [
    'the provider charges 200 % of the list price: 0.000025 × 200 % = 0.00005 USD, rounded half up to a picodollar',
    'file_search: 3 × call × 2.5 USD per thousand = 0.0075 USD',
    'google_search: used 4 times, paid once per request × 35 USD per thousand = 0.035 USD',
    'total: 0.04255 USD',
  ])
  assert.equal(costOf(used, compilePrice({ ...list, unit_prices })), 42_550_000_000n)
  assert.equal(costOf(used, compilePrice(list)), null, 'a tool without a price is not free')
})

test('prices that are unknown have no lines', () => {
  assert.equal(costLines({ ...NO_USAGE, input: 1 }, { ...list, output_per_mtok: null }), null)
})

test('property: the total is what the call was charged', () => {
  const price = fc.option(fc.nat(99_999_999).map((millionths) => (millionths / 1e6).toFixed(6)))
  const prices = perClass('price', () => price)
  const tier = fc.record({ ...prices, prompt_tokens_above: fc.nat(1000) })
  const priceList = fc.record({
    ...prices,
    tiers: fc.uniqueArray(tier, { selector: (one) => one.prompt_tokens_above }),
    unit_prices: fc.uniqueArray(
      fc.record({
        name: fc.constantFrom('a', 'b'),
        unit: fc.constantFrom(...UNITS),
        usd_per_1000: fc.nat(99_999_999).map((millionths) => (millionths / 1e6).toFixed(6)),
      }),
      { selector: ({ name }) => name },
    ),
  })
  const uses = fc.option(fc.dictionary(fc.constantFrom('a', 'b'), fc.integer({ min: 1, max: 9 })))
  fc.assert(
    fc.property(anyUsage(fc.nat(500)), priceList, uses, (tokensUsed, prices, tools) => {
      const used = { ...tokensUsed, uses: tools }
      const cost = costLines(used, prices)
      const total = costOf(used, compilePrice(prices))
      assert.equal(cost?.total ?? null, total)
      if (cost === null || total === null || used.pricePercent !== 100) return
      const sum = [...cost.lines, ...cost.uses].reduce((amount, line) => amount + line.amount, 0n)
      assert.equal(usdWithSixDecimals(asPicodollars(sum)), usdWithSixDecimals(total))
      const tokens = cost.lines.reduce((count, line) => count + line.tokens, 0)
      assert.equal(tokens, promptTokens(used) + used.output, 'every token has one line')
    }),
  )
})
