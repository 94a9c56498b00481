import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fc } from '../../../test/property.ts'
import { cacheSaving } from './cache-saving.ts'
import { compilePrice, costOf, NO_PRICES, type TokenPrices } from './price.ts'
import { NO_USAGE, type TokenUsage } from './usage.ts'

/** 3 USD a million plain, 0.30 read, 3.75 and 6 written: the usual proportions. */
const PRICES: TokenPrices = {
  ...NO_PRICES,
  input_per_mtok: '3',
  cached_input_per_mtok: '0.3',
  cache_write_5m_per_mtok: '3.75',
  cache_write_1h_per_mtok: '6',
  output_per_mtok: '15',
}
const price = compilePrice({ ...PRICES, tiers: [] })
const saved = (usage: Partial<TokenUsage>) => cacheSaving({ ...NO_USAGE, ...usage }, price)

describe('what a prompt cache has saved', () => {
  const table: [what: string, usage: Partial<TokenUsage>, picodollars: bigint | null][] = [
    ['no cache was used', { input: 5_000, output: 100 }, null],
    ['reads save nine tenths', { input: 10, cachedInput: 10_000, output: 100 }, 27_000_000_000n],
    ['a first write costs a quarter more', { input: 10, cacheWrite5m: 10_000 }, -7_500_000_000n],
    ['an hour costs twice as much', { cacheWrite1h: 10_000 }, -30_000_000_000n],
    ['both at once', { cachedInput: 10_000, cacheWrite5m: 1_000 }, 26_250_000_000n],
    ['a surcharge is on both', { cachedInput: 10_000, pricePercent: 110 }, 29_700_000_000n],
    ['the answer and its tools cost the same', { cachedInput: 10_000, output: 5_000 }, 27_000_000_000n],
  ]
  for (const [what, usage, picodollars] of table) test(what, () => assert.equal(saved(usage), picodollars))

  test('without prices it is unknown, without prices of the cache nothing is saved', () => {
    const usage = { ...NO_USAGE, cachedInput: 10 }
    assert.equal(cacheSaving(usage, compilePrice({ ...NO_PRICES, tiers: [] })), null)
    const plain = { ...NO_PRICES, input_per_mtok: '3', output_per_mtok: '15' }
    assert.equal(cacheSaving(usage, compilePrice({ ...plain, tiers: [] })), 0n)
  })

  test('cost and saving are what the call costs without a cache', () => {
    const count = fc.nat({ max: 1_000_000 })
    const tier = { ...PRICES, input_per_mtok: '6', prompt_tokens_above: 200_000 }
    const tiered = compilePrice({ ...PRICES, tiers: [tier] })
    fc.assert(
      fc.property(count, count, count, count, (input, cachedInput, cacheWrite5m, output) => {
        const usage = { ...NO_USAGE, input, cachedInput, cacheWrite5m, output }
        const without = { ...NO_USAGE, input: input + cachedInput + cacheWrite5m, output }
        const saving = cacheSaving(usage, tiered) ?? 0n
        assert.equal((costOf(usage, tiered) ?? 0n) + saving, costOf(without, tiered))
      }),
    )
  })
})
