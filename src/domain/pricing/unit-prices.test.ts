import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fc } from '../../../test/property.ts'
import { holdTerms, moneyOf } from '../../limits/hold.ts'
import type { UnitBound } from '../request/bounds.ts'
import { costLines, costWords } from './cost-lines.ts'
import { compilePrice, costOf, exactUsd, NO_PRICES, type PriceList } from './price.ts'
import { ANY, rateOf, UNITS, type Unit, type UnitPrice, unitsOf } from './unit-prices.ts'
import { NO_USAGE, type TokenUsage } from './usage.ts'

const priced = (...unit_prices: UnitPrice[]): PriceList => ({ ...NO_PRICES, tiers: [], unit_prices })
const tokens = (prices: Partial<PriceList>): PriceList => ({ ...NO_PRICES, tiers: [], ...prices })
const one = (name: string, unit: Unit, usd_per_1000: string, more: Partial<UnitPrice> = {}) =>
  priced({ name, unit, usd_per_1000, ...more })
const used = (name: string, count: number): Partial<TokenUsage> => ({ uses: { [name]: count } })
const heard = (milliseconds: number) => used('audio_input', milliseconds)

const IMAGES = tokens({ input_per_mtok: '5', image_input_per_mtok: '8', output_per_mtok: '10' })
const GPT_IMAGE = { ...IMAGES, image_output_per_mtok: '30' }

describe('a cost by units is exact to the picodollar', () => {
  const table: [what: string, usage: Partial<TokenUsage>, list: PriceList, usd: string][] = [
    ['image tokens', { input: 22, output: 1_372, imageOutput: 1_372 }, GPT_IMAGE, '0.04127'],
    [
      'an image in the prompt',
      { input: 943, imageInput: 3_044, output: 1_756, imageOutput: 1_756 },
      GPT_IMAGE,
      '0.081747',
    ],
    [
      'text and image in the answer',
      { input: 169, output: 4_599, imageOutput: 4_160 },
      { ...IMAGES, image_output_per_mtok: '32' },
      '0.138355',
    ],
    ['three images', used('image', 3), one('image', 'image', '40'), '0.12'],
    ['17 pages', used('page', 17), one('page', 'page', '4'), '0.068'],
    ['4,096 characters', used('character', 4_096), one('character', 'character', '0.015'), '0.06144'],
    ['11 s by the minute', heard(11_000), one('audio_input', 'audio_minute', '6'), '0.0011'],
    ['61 s are not two minutes', heard(61_000), one('audio_input', 'audio_minute', '4.5'), '0.004575'],
    ['3 s of 10', heard(3_000), one('audio_input', 'audio_hour', '40', { minimum_ms: 10_000 }), '0.000111111111'],
    ['26 s', heard(26_000), one('audio_input', 'audio_minute', '4.3'), '0.001863333333'],
    ['26 s at a rounded rate', heard(26_000), one('audio_input', 'audio_second', '0.07167'), '0.00186342'],
    ['1 s', heard(1_000), one('audio_input', 'audio_minute', '17'), '0.000283333333'],
    ['2.11 s in steps', heard(2_110), one('audio_input', 'audio_minute', '6', { step_ms: 1_000 }), '0.0003'],
    ['3 search units', used('search_unit', 3), one('search_unit', 'search', '2'), '0.006'],
    ['2 queries', used('search_unit', 2), one('search_unit', 'search', '1'), '0.002'],
    ['815 tokens', { input: 815 }, tokens({ input_per_mtok: '0.018', output_per_mtok: '0' }), '0.00001467'],
    [
      'speech',
      { input: 14, output: 101, audioOutput: 101 },
      tokens({ input_per_mtok: '0.6', output_per_mtok: '12' }),
      '0.0012204',
    ],
    ['heard', { audioInput: 14, output: 45 }, tokens({ input_per_mtok: '2.5', output_per_mtok: '10' }), '0.000485'],
  ]
  for (const [what, usage, list, usd] of table) {
    test(what, () => {
      const full = { ...NO_USAGE, ...usage }
      const cost = costOf(full, compilePrice(list))
      assert.equal(cost === null ? null : exactUsd(cost), usd)
      assert.equal(costLines(full, list)?.total, cost)
    })
  }

  test('the arithmetic is in words', () => {
    const list = one('audio_input', 'audio_hour', '40', { minimum_ms: 10_000 })
    assert.deepEqual(costWords(costLines({ ...NO_USAGE, ...heard(3_000) }, list)!), [
      'audio_input: 3000 ms, paid as 10000 ms, × 40 USD per thousand hours = 0.000111111111 USD',
      'total: 0.000111111111 USD',
    ])
  })
})

describe('what has no price is not free', () => {
  const cases: [what: string, usage: Partial<TokenUsage>, list: PriceList, usd: string | null][] = [
    ['no price at all', used('image', 1), tokens({}), null],
    ['another unit has one', used('character', 1), one('image', 'image', '40'), null],
    ['a tool beside units', { uses: { image: 1, web_search: 1 } }, one('image', 'image', '40'), null],
    ['tokens of a model priced by units', { input: 7, ...used('image', 1) }, one('image', 'image', '40'), '0.04'],
    ['tokens pay for images', { input: 10, output: 10, ...used('image', 1) }, GPT_IMAGE, '0.00015'],
    ['no tokens were counted', used('image', 1), GPT_IMAGE, null],
    ['tokens do not pay for tools', { input: 10, ...used('web_search', 1) }, GPT_IMAGE, null],
  ]
  for (const [what, usage, list, usd] of cases) {
    test(what, () => {
      const full = { ...NO_USAGE, ...usage }
      const cost = costOf(full, compilePrice(list))
      assert.equal(cost === null ? null : exactUsd(cost), usd)
      assert.equal(costLines(full, list)?.total ?? null, cost)
    })
  }
})

describe('an image has the price of its size and quality', () => {
  const names = ['image:any:high', 'image:1024x1024', 'image:1024x1024:high', 'image:1024x1024:low']
  const rates = compilePrice(
    priced(...names.map((name, at): UnitPrice => ({ name, unit: 'image', usd_per_1000: `${(at + 1) * 10}` }))),
  ).units
  const cases: [asked: string, found: number | null][] = [
    ['image:1024x1024:high', 30],
    ['image:1024x1024:low', 40],
    ['image:1024x1024:medium', 20],
    ['image:512x512:high', 10],
    ['image:512x512:low', null],
    ['image:1024x1024:any', 40],
    ['image:any:high', 30],
    ['image:any:any', 40],
    ['image:512x512:any', 10],
    ['image', null],
  ]
  for (const [asked, found] of cases) {
    test(asked, () => {
      const rate = rateOf(asked, rates)
      assert.equal(rate === undefined ? null : Number(rate.each / 1_000_000_000n), found)
    })
  }
})

const hold = (list: PriceList, units: UnitBound[], outputTokens = 0, more: object = {}) =>
  moneyOf(
    holdTerms({
      promptTokens: 60,
      bounds: { outputTokens, answers: 1, units, ...more },
      price: compilePrice(list),
      contextWindow: null,
      maxOutputTokens: null,
    }),
  )

describe('a hold by units', () => {
  test('needs a price of the unit, or one of tokens where they may stand in its place', () => {
    const either: UnitBound[] = [{ name: 'image:any:any', most: 2, orTokens: true }]
    assert.equal(hold(one('image', 'image', '40'), either), 80_000_000_000n)
    assert.equal(hold(GPT_IMAGE, either, 100, { isTextPrompt: true }), 60n * 5_000_000n + 100n * 30_000_000n)
    assert.equal(hold(GPT_IMAGE, [{ name: 'image:any:any', most: 2 }]), null)
    assert.equal(hold(tokens({ input_per_mtok: '0', output_per_mtok: '0' }), either), null)
    assert.equal(hold(tokens({}), either), null)
    assert.equal(hold(one('image', 'image', '40'), [{ name: 'web_search', most: 1 }]), null)
  })

  test('property: is never less than the cost of what was used within its bounds', () => {
    const part = (...words: string[]) => fc.constantFrom(ANY, ...words)
    const asked = fc.tuple(part('1024x1024', '512x512'), part('low', 'high'))
    const images = fc.oneof(
      fc.constant('image'),
      asked.map((parts) => `image:${parts.join(':')}`),
    )
    const unit = (name: string) => fc.constantFrom(...(unitsOf(name) ?? UNITS)).map((unit) => ({ name, unit }))
    const price = (kind: { name: string; unit: Unit }) =>
      fc.record({
        ...{ name: fc.constant(kind.name), unit: fc.constant(kind.unit) },
        usd_per_1000: fc.nat(99_999_999).map((millionths) => (millionths / 1e6).toFixed(6)),
        minimum_ms: fc.option(fc.integer({ min: 1, max: 20_000 }), { nil: undefined }),
        step_ms: fc.option(fc.integer({ min: 1, max: 2_000 }), { nil: undefined }),
      })
    const known = fc.array(fc.oneof(images, fc.constant('audio_input')).chain(unit).chain(price), { maxLength: 6 })
    const counts = fc.tuple(fc.integer({ min: 1, max: 100_000 }), fc.integer({ min: 1, max: 100_000 }))
    fc.assert(
      fc.property(known, asked, asked, counts, (prices, request, answer, [a, b]) => {
        const list = priced(...new Map(prices.map((price) => [price.name, price])).values())
        // What a request leaves open, an answer says.
        const made = request.map((part, at) => (part === ANY ? answer[at] : part))
        const [many, few] = [Math.max(a, b), Math.min(a, b)]
        for (const [most, name] of [
          [`image:${request.join(':')}`, `image:${made.join(':')}`],
          ['audio_input', 'audio_input'],
        ] as const) {
          const held = hold(list, [{ name: most, most: many }])
          const cost = costOf({ ...NO_USAGE, uses: { [name]: few } }, compilePrice(list))
          if (cost !== null) assert.ok(held !== null && held >= cost, `${held} for ${cost}`)
        }
      }),
    )
  })
})
