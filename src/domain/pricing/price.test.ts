import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fc } from '../../../test/property.ts'
import {
  asPicodollars,
  compilePrice,
  costOf,
  exactUsd,
  NO_PRICES,
  type PriceList,
  parsePrices,
  picodollarsPerToken,
  usdWithSixDecimals,
} from './price.ts'
import { NO_USAGE, unmixedAnswers, withOutput } from './usage.ts'

const list: PriceList = {
  ...NO_PRICES,
  input_per_mtok: '2.5',
  cached_input_per_mtok: '0.25',
  cache_write_5m_per_mtok: '3.125',
  cache_write_1h_per_mtok: '5',
  output_per_mtok: '15',
  tiers: [],
}

describe('a price per million tokens becomes whole picodollars per token', () => {
  for (const [text, expected] of [
    ['0', 0n],
    ['1', 1_000_000n],
    ['0.15', 150_000n],
    ['0.075', 75_000n],
    ['12.5', 12_500_000n],
    ['0.000001', 1n],
    ['999999999.999999', 999_999_999_999_999n],
  ] as const) {
    test(`${text} → ${expected}`, () => assert.equal(picodollarsPerToken(text), expected))
  }
  for (const text of ['', '-1', '1e3', '1.', '.5', '0.0000001', '1,5', ' 1', '1234567890', 'NaN']) {
    test(`"${text}" is refused`, () => assert.throws(() => picodollarsPerToken(text), RangeError))
  }
})

describe('cost', () => {
  test('each class of token has its own price and none counts twice', () => {
    const usage = { ...NO_USAGE, input: 100, cachedInput: 1000, cacheWrite5m: 10, cacheWrite1h: 1, output: 7 }
    const expected = 100n * 2_500_000n + 1000n * 250_000n + 10n * 3_125_000n + 5_000_000n + 7n * 15_000_000n
    assert.equal(costOf(usage, compilePrice(list)), expected)
  })

  test('a class without a price of its own costs what plain input costs', () => {
    assert.equal(costOf({ ...NO_USAGE, cacheWrite30m: 3 }, compilePrice(list)), 3n * 2_500_000n)
  })

  const spoken = { ...NO_USAGE, output: 100, reasoning: 10, audioOutput: 30, imageOutput: 50 }
  for (const [what, prices, expected] of [
    ['none has a price of its own', {}, 100n * 15n],
    ['audio has one', { audio_output_per_mtok: '60' }, 70n * 15n + 30n * 60n],
    ['images have one', { image_output_per_mtok: '30' }, 50n * 15n + 50n * 30n],
    ['both have one', { audio_output_per_mtok: '60', image_output_per_mtok: '1' }, 20n * 15n + 30n * 60n + 50n],
  ] as const) {
    test(`audio and images of an answer cost their price, else that of output: ${what}`, () =>
      assert.equal(costOf(spoken, compilePrice({ ...list, ...prices })), expected * 1_000_000n))
  }

  test('what an answer costs lies between what it costs unmixed', () => {
    const price = compilePrice({ ...list, audio_output_per_mtok: '60', image_output_per_mtok: '1' })
    const unmixed = unmixedAnswers(spoken).map((each) => costOf(each, price))
    assert.deepEqual(unmixed, [1_500_000_000n, 6_000_000_000n, 100_000_000n])
  })

  test('a shorter answer has shorter parts', () => {
    const parts = (output: number) => {
      const { audioOutput, imageOutput } = withOutput(spoken, output)
      return [audioOutput, imageOutput]
    }
    assert.deepEqual(
      [parts(200), parts(60), parts(20), parts(0)],
      [
        [30, 50],
        [30, 30],
        [20, 0],
        [0, 0],
      ],
    )
  })

  test('an unknown input or output price makes the cost unknown, never zero', () => {
    assert.equal(costOf({ ...NO_USAGE, input: 1 }, compilePrice({ ...list, output_per_mtok: null })), null)
    assert.equal(costOf({ ...NO_USAGE, output: 1 }, compilePrice({ ...list, input_per_mtok: null })), null)
  })

  test('a tier replaces the prices of the whole request, chosen by all prompt tokens, cached ones too', () => {
    const tiered = compilePrice({
      ...list,
      tiers: [{ ...list, prompt_tokens_above: 1000, input_per_mtok: '5', output_per_mtok: '22.5' }],
    })
    assert.equal(costOf({ ...NO_USAGE, input: 1000, output: 1 }, tiered), 1000n * 2_500_000n + 15_000_000n)
    assert.equal(
      costOf({ ...NO_USAGE, input: 1000, cachedInput: 1, output: 1 }, tiered),
      1000n * 5_000_000n + 250_000n + 22_500_000n,
    )
  })

  test('the highest tier passed counts, in whatever order they are listed', () => {
    const tier = (above: number, input: string) => ({ ...list, prompt_tokens_above: above, input_per_mtok: input })
    const tiered = compilePrice({ ...list, tiers: [tier(10, '3'), tier(1000, '9'), tier(100, '6')] })
    assert.equal(costOf({ ...NO_USAGE, input: 101 }, tiered), 101n * 6_000_000n)
    assert.equal(costOf({ ...NO_USAGE, input: 1001 }, tiered), 1001n * 9_000_000n)
  })

  test('a surcharge is taken of the sum and rounded half up once', () => {
    const cheap = compilePrice({ ...list, input_per_mtok: '0.000005' })
    assert.equal(costOf({ ...NO_USAGE, input: 1, pricePercent: 110 }, cheap), 6n)
    assert.equal(costOf({ ...NO_USAGE, input: 1, pricePercent: 50 }, cheap), 3n)
  })

  test('property: never negative, and additive over tokens', () => {
    const price = compilePrice(list)
    fc.assert(
      fc.property(fc.nat(1e9), fc.nat(1e9), fc.nat(1e9), (input, cachedInput, output) => {
        const whole = costOf({ ...NO_USAGE, input, cachedInput, output }, price)
        const parts = [
          { ...NO_USAGE, input },
          { ...NO_USAGE, cachedInput },
          { ...NO_USAGE, output },
        ]
        const sum = parts.reduce((total, part) => total + (costOf(part, price) ?? 0n), 0n)
        assert.equal(whole, sum)
      }),
    )
  })
})

describe('money as text', () => {
  for (const [value, header, exact] of [
    [0n, '0.000000', '0'],
    [1n, '0.000000', '0.000000000001'],
    [499_999n, '0.000000', '0.000000499999'],
    [500_000n, '0.000001', '0.0000005'],
    [1_499_999n, '0.000001', '0.000001499999'],
    [1_500_000n, '0.000002', '0.0000015'],
    [999_999_500_000n, '1.000000', '0.9999995'],
    [1_234_567_890_123_456n, '1234.567890', '1234.567890123456'],
    [12_000_000_000_000n, '12.000000', '12'],
  ] as const) {
    test(`${value} pUSD is ${header} in the header and ${exact} exactly`, () => {
      assert.equal(usdWithSixDecimals(asPicodollars(value)), header)
      assert.equal(exactUsd(asPicodollars(value)), exact)
    })
  }
})

describe('counts that no provider can mean', () => {
  const price = compilePrice({ ...list, input_per_mtok: '1', output_per_mtok: '1', tiers: [] })
  test('cost as much as the log can hold', () =>
    assert.equal(costOf({ ...NO_USAGE, output: 9_223_372_036_854 }, price), 9_223_372_036_854_000_000n))
  test('have no cost beyond it, so that the row of the call can be kept', () =>
    assert.equal(costOf({ ...NO_USAGE, output: 9_223_372_036_855 }, price), null))
  test('have none either when a surcharge takes them beyond', () =>
    assert.equal(costOf({ ...NO_USAGE, output: 9_000_000_000_000, pricePercent: 110 }, price), null))
})

test('a stored list from before a class was added has no price for that class', () => {
  const { cache_write_30m_per_mtok: _later, ...earlier } = list
  const stored = { ...earlier, tiers: [{ prompt_tokens_above: 10, input_per_mtok: '1' }] }
  const tiers = [{ ...NO_PRICES, prompt_tokens_above: 10, input_per_mtok: '1' }]
  assert.deepEqual(parsePrices(JSON.stringify(stored)), { ...list, tiers })
})
