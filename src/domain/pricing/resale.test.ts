import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fc } from '../../../test/property.ts'
import { asPicodollars } from './price.ts'
import { compileResale, Resale, type ResoldCall, resaleOf } from './resale.ts'
import { NO_USAGE } from './usage.ts'

const usage = { ...NO_USAGE, input: 1_000, cachedInput: 500, output: 200 }
const call: ResoldCall = { alias: 'fast', provider: 'p', model: 'm', usage, cost: asPicodollars(1_000_003n) }
const sold = (resale: Resale, change: Partial<ResoldCall> = {}) =>
  resaleOf(compileResale(Resale.parse(resale)), { ...call, ...change })

describe('what a workspace charges its own customers', () => {
  const own = { input_per_mtok: '2', output_per_mtok: '10' }
  for (const [name, resale, change, expected] of [
    ['nothing', {}, {}, null],
    ['a markup, rounded to the picodollar', { markup_percent: '20' }, {}, 1_200_004n],
    [
      'four decimals of a percent',
      { markup_percent: '0.0001' },
      { cost: asPicodollars(10n ** 12n) },
      1_000_001_000_000n,
    ],
    ['a discount', { markup_percent: '-2.5' }, { cost: asPicodollars(1_000n) }, 975n],
    ['the whole cost given away', { markup_percent: '-100' }, {}, 0n],
    ['an unknown cost is no price', { markup_percent: '20' }, { cost: null }, null],
    ['an own price: cached tokens cost as much as others', { prices: { 'p/m': own } }, {}, 5_000_000_000n],
    [
      'an own price of cached tokens',
      { prices: { 'p/m': { ...own, cached_input_per_mtok: '0.2' } } },
      {},
      4_100_000_000n,
    ],
    [
      'the alias before the model',
      { prices: { 'p/m': own, fast: { ...own, output_per_mtok: '0' } } },
      {},
      3_000_000_000n,
    ],
    [
      'the same for any model behind the alias',
      { prices: { fast: own } },
      { provider: 'q', model: 'n' },
      5_000_000_000n,
    ],
    [
      'the tier of the provider is not ours',
      { prices: { fast: own } },
      { usage: { ...usage, pricePercent: 200 } },
      5_000_000_000n,
    ],
    ['an own price before the markup', { markup_percent: '20', prices: { fast: own } }, {}, 5_000_000_000n],
    ['no own price: the markup', { markup_percent: '20', prices: { other: own } }, {}, 1_200_004n],
    ['an own price where the cost is unknown', { prices: { fast: own } }, { cost: null }, 5_000_000_000n],
    ['nothing was served', { markup_percent: '20', prices: { fast: own } }, { usage: null, cost: null }, null],
    [
      'a tool without a price of ours',
      { prices: { fast: own } },
      { usage: { ...usage, uses: { web_search: 1 } } },
      null,
    ],
  ] satisfies [string, Resale, Partial<ResoldCall>, bigint | null][]) {
    test(name, () => assert.equal(sold(resale, change), expected))
  }

  test('a markup is exact to half a picodollar, whatever it is', () => {
    const percent = fc.integer({ min: -1_000_000, max: 50_000_000 })
    fc.assert(
      fc.property(percent, fc.bigInt(0n, 10n ** 15n), (millionths, cost) => {
        const digits = String(Math.abs(millionths)).padStart(5, '0')
        const markup = `${millionths < 0 ? '-' : ''}${digits.slice(0, -4)}.${digits.slice(-4)}`
        const charged = sold({ markup_percent: markup }, { cost: asPicodollars(cost) }) ?? assert.fail()
        const difference = charged * 1_000_000n - cost * BigInt(1_000_000 + millionths)
        assert.ok(difference > -500_001n && difference <= 500_000n, `${markup} % of ${cost}: ${charged}`)
      }),
    )
  })

  for (const [name, resale, path] of [
    ['more than the cost given away', { markup_percent: '-100.1' }, 'markup_percent'],
    ['a number instead of a text', { markup_percent: 20 }, 'markup_percent'],
    ['five decimals', { markup_percent: '1.00001' }, 'markup_percent'],
    ['a price without an output', { prices: { fast: { input_per_mtok: '1' } } }, 'prices.fast.output_per_mtok'],
    ['seven decimals', { prices: { fast: { ...own, input_per_mtok: '0.0000001' } } }, 'prices.fast.input_per_mtok'],
  ] as const) {
    test(`refused by name: ${name}`, () => {
      const { error } = Resale.safeParse(resale)
      assert.equal(error?.issues[0]?.path.join('.'), path)
    })
  }
})
