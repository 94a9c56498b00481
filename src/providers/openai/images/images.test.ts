import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fc } from '../../../../test/property.ts'
import { compilePrice, costOf, exactUsd, NO_PRICES, type PriceList } from '../../../domain/pricing/price.ts'
import { UNKNOWN_TRAITS } from '../../../domain/provider.ts'
import type { JsonObject } from '../../../domain/request/call-request.ts'
import { type ImagesRequest, imagesTokens, readImagesRequest } from '../../../domain/request/media/images.ts'
import { NO_BOUNDS } from '../../../domain/request/output-limit.ts'
import { holdTerms, moneyOf } from '../../../limits/hold.ts'
import type { Target } from '../../family.ts'
import { images } from './images.ts'
import { imageTokens } from './output-tokens.ts'
import { usageFromWire } from './usage.ts'

const TARGET: Target = {
  ...{ model: 'gpt-image-2', baseUrl: null, bounds: NO_BOUNDS },
  traits: { ...UNKNOWN_TRAITS, maxOutputTokens: 24_000 },
}
const ask = (more: JsonObject = {}) => ({ model: 'draw', prompt: 'A cat', ...more }) as ImagesRequest
const LIST: PriceList = {
  ...NO_PRICES,
  ...{ input_per_mtok: '5', image_input_per_mtok: '8', output_per_mtok: '10', image_output_per_mtok: '30', tiers: [] },
}
const PRICE = compilePrice(LIST)

function boundsOf(more: JsonObject, target: Partial<Target> = {}) {
  const translation = images.toWire(ask(more), { ...TARGET, ...target })
  assert.ok(translation.kind === 'wire')
  return translation.bounds
}

const holdOf = (more: JsonObject, promptTokens: number | null, price = PRICE) =>
  moneyOf(holdTerms({ promptTokens, bounds: boundsOf(more), price, contextWindow: null, maxOutputTokens: 24_000 }))

describe('the tokens of an image', () => {
  const table: [model: string, size: string, quality: string, tokens: number | null][] = [
    ['gpt-image-1-mini', '1024x1536', 'high', 6_240],
    ['gpt-image-1', '1536x1024', 'low', 400],
    ['gpt-image-1', '2560x1440', 'low', null],
    ['gpt-image-2', '1024x1024', 'low', 196],
    ['gpt-image-2', '1024x1536', 'medium', 1_372],
    ['gpt-image-2-2026-04-21', '1536x1024', 'high', 5_488],
    ['gpt-image-2', '2560x1440', 'medium', 1_843],
    ['gpt-image-2', '3840x2160', 'high', 13_342],
    ['gpt-image-2', '2880x2880', 'high', 23_719],
    ['gpt-image-2', '1792x1024', 'high', 5_063],
    ['gpt-image-2', '3584x2048', 'high', 12_329],
    ['gpt-image-2', 'auto', 'high', null],
    ['gpt-image-2', '1024x1024', 'max', null],
    ['gpt-image-2.6-flare', '1024x1024', 'high', null],
  ]
  for (const [model, size, quality, tokens] of table) {
    test(`${model} ${size} ${quality}`, () => assert.equal(imageTokens(model, size, quality), tokens))
  }
})

describe('the hold', () => {
  test('is n times prompt and image, of a known size and quality', () => {
    const high = { n: 4, size: '1024x1024', quality: 'high', partial_images: 3 }
    assert.equal(exactUsd(holdOf(high, 4 * 60)!), '0.88008')
    assert.equal(exactUsd(holdOf({ n: 10 }, 0)!), '7.2')
  })

  test('is the dearest that a request leaves open, where images are billed', () => {
    const unit_prices = [
      { name: 'image:1024x1024:low', unit: 'image' as const, usd_per_1000: '10' },
      { name: 'image:any:high', unit: 'image' as const, usd_per_1000: '80' },
    ]
    const price = compilePrice({ ...NO_PRICES, tiers: [], unit_prices })
    assert.equal(exactUsd(holdOf({ n: 2 }, 60, price)!), '0.16')
    assert.equal(exactUsd(holdOf({ n: 2, size: '1024x1024', quality: 'low' }, 60, price)!), '0.02')
    assert.equal(holdOf({ size: '64x64', quality: 'low' }, 60, price), null)
  })

  test('of what is no single picture is the limit of the model', () => {
    assert.equal(boundsOf({ size: '1024x1024', quality: 'low', output_format: 'gif' }).outputTokens, 24_000)
  })

  test('under a hard budget refuses what it does not cover', () => {
    const svg = images.toWire(ask({ svg: { model: 'gpt-6' } }), { ...TARGET, isStrict: true })
    assert.ok(svg.kind === 'refused' && /^svg: a hard budget applies/.test(svg.message.text))
  })

  test('property: is never less than what a conforming answer costs', () => {
    const open = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: 'auto' as const })
    const sides = fc.constantFrom('1024x1024', '1024x1536', '2560x1440', '3840x2160', '2880x2880')
    const fields = fc.record({
      ...{ size: open(sides), quality: open(fc.constantFrom('low', 'medium', 'high')) },
      ...{ n: fc.integer({ min: 1, max: 10 }), prompt: fc.string({ minLength: 1, maxLength: 400, unit: 'grapheme' }) },
    })
    const used = fc.record({ size: sides, quality: fc.constantFrom('low', 'medium', 'high'), hasUsage: fc.boolean() })
    const units = ['image', 'image:1024x1024', 'image:any:high', 'image:2880x2880:low']
    const prices = fc
      .subarray(units)
      .map((names) => names.map((name, at) => ({ name, unit: 'image' as const, usd_per_1000: String(at * 17 + 3) })))
    fc.assert(
      fc.property(fields, used, prices, fc.boolean(), (more, made, unit_prices, isByTokens) => {
        const price = compilePrice(isByTokens ? { ...LIST, unit_prices } : { ...NO_PRICES, tiers: [], unit_prices })
        const held = holdOf(more, imagesTokens(ask(more)).most, price)
        const size = more.size === 'auto' ? made.size : more.size
        const quality = more.quality === 'auto' ? made.quality : more.quality
        const output = more.n * (imageTokens('gpt-image-2', size, quality) ?? 0)
        const usage = { input_tokens: more.n * Buffer.byteLength(more.prompt), output_tokens: output }
        const body = {
          ...{ size, quality, data: Array.from({ length: more.n }, () => ({ b64_json: '' })) },
          ...(made.hasUsage && { usage }),
        }
        const reading = images.fromWire(body, ask(more))
        assert.ok(reading.kind === 'answer' && reading.answer.usage !== null)
        const cost = costOf(reading.answer.usage, price)
        if (cost !== null && held !== null) assert.ok(held >= cost, `${held} for ${cost}`)
      }),
    )
  })
})

describe('an answer', () => {
  const data = [{ b64_json: 'AA==' }]
  const costs: [what: string, usage: JsonObject, usd: string][] = [
    ['without details is of images', { input_tokens: 22, output_tokens: 1_372 }, '0.04127'],
    [
      'with details is the same',
      {
        ...{ input_tokens: 22, input_tokens_details: { text_tokens: 22, image_tokens: 0 } },
        ...{ output_tokens: 1_372, output_tokens_details: { image_tokens: 1_372, text_tokens: 0 } },
      },
      '0.04127',
    ],
    [
      'has images of its prompt at their price',
      {
        ...{ input_tokens: 3_987, input_tokens_details: { text_tokens: 943, image_tokens: 3_044 } },
        output_tokens: 1_756,
      },
      '0.081747',
    ],
    [
      'has texts at theirs',
      {
        ...{ input_tokens: 169, output_tokens: 4_599 },
        output_tokens_details: { image_tokens: 4_160, text_tokens: 439 },
      },
      '0.130035',
    ],
  ]
  for (const [what, usage, usd] of costs) {
    test(what, () => assert.equal(exactUsd(costOf(usageFromWire({ data, usage }), PRICE)!), usd))
  }

  test('names size and quality: what was asked for, and what was left open as it came', () => {
    const usesOf = (more: JsonObject, body: JsonObject) => {
      const reading = images.fromWire({ data, ...body }, ask(more))
      return reading.kind === 'answer' ? reading.answer.usage?.uses : null
    }
    assert.deepEqual(usesOf({}, {}), { 'image:any:any': 1 })
    assert.deepEqual(usesOf({ quality: 'high' }, { size: '64x64', quality: 'low' }), { 'image:64x64:high': 1 })
    assert.deepEqual(usesOf({ size: 'a b' }, {}), { 'image:other:any': 1 })
  })

  test('of a second model has an unknown cost', () => {
    const reading = images.fromWire({ data, usage: { output_tokens: 9 }, svg_usage: { total_tokens: 7 } }, ask())
    assert.ok(reading.kind === 'answer' && reading.answer.usage !== null)
    assert.equal(costOf(reading.answer.usage, PRICE), null)
  })

  for (const body of [null, {}, { data: [] }, { data: 'x' }, { data: [1] }, 'x'])
    test(`${JSON.stringify(body)} is none`, () => assert.equal(images.fromWire(body, ask()).kind, 'failure'))
})

for (const [what, more] of [
  ['no prompt', { prompt: '' }],
  ['eleven images', { n: 11 }],
  ['a size that is no text', { size: 1024 }],
] as const) {
  test(`a request with ${what} is refused`, () => assert.throws(() => readImagesRequest(ask(more as JsonObject), true)))
}
