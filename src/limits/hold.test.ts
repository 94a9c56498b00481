import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { OUTPUT_PARTS, PROMPT_CLASSES } from '../domain/pricing/classes.ts'
import { compilePrice, costOf, NO_PRICES, type PriceList } from '../domain/pricing/price.ts'
import { NO_USAGE } from '../domain/pricing/usage.ts'
import { holdTerms, moneyOf, type WorstCase } from './hold.ts'

const LIST: PriceList = {
  ...NO_PRICES,
  input_per_mtok: '1',
  cached_input_per_mtok: '0.1',
  cache_write_5m_per_mtok: '1.25',
  cache_write_1h_per_mtok: '2',
  output_per_mtok: '10',
  tiers: [],
}
const tier = (above: number, input: string | null, output: string | null) => ({
  prompt_tokens_above: above,
  ...NO_PRICES,
  input_per_mtok: input,
  output_per_mtok: output,
})
const SIZE = 100

describe('the hold', () => {
  const bounds = { outputTokens: 100, answers: 1 }
  const unlimited = { outputTokens: null, answers: 1 }
  const of = (list: PriceList | null, change: Partial<WorstCase> = {}) =>
    moneyOf(
      holdTerms({
        promptTokens: SIZE,
        bounds,
        price: list === null ? undefined : compilePrice(list),
        contextWindow: null,
        maxOutputTokens: null,
        ...change,
      }),
    )
  const at = (input: number, output: number) => BigInt(SIZE * input + 100 * output) * 1_000_000n
  const table: [what: string, hold: bigint | null, expected: bigint | null][] = [
    ['takes the dearest class of prompt tokens', of(LIST), at(2, 10)],
    ['takes the dearest class of an answer', of({ ...LIST, audio_output_per_mtok: '40' }), at(2, 40)],
    ['takes none that is cheaper', of({ ...LIST, image_output_per_mtok: '4' }), at(2, 10)],
    ['takes a tier that the prompt can reach', of({ ...LIST, tiers: [tier(SIZE - 1, '5', '15')] }), at(5, 15)],
    ['takes no tier beyond it', of({ ...LIST, tiers: [tier(SIZE, '5', '15')] }), at(2, 10)],
    ['keeps the base where a tier is cheaper', of({ ...LIST, tiers: [tier(1, '0.5', '1')] }), at(2, 10)],
    ['is null without a price', of(null), null],
    ['is null with half a price', of({ ...LIST, output_per_mtok: null }), null],
    ['is null with an unknown tier in reach', of({ ...LIST, tiers: [tier(1, null, null)] }), null],
    ['is null without a limit of the answer', of(LIST, { bounds: unlimited }), null],
    ["takes the model's own limit", of(LIST, { bounds: unlimited, maxOutputTokens: 100 }), at(2, 10)],
    ['takes each of several answers', of(LIST, { bounds: { outputTokens: 50, answers: 2 } }), at(2, 10)],
    [
      'is zero where all is free',
      of({
        ...LIST,
        input_per_mtok: '0',
        cache_write_5m_per_mtok: '0',
        cached_input_per_mtok: '0',
        cache_write_1h_per_mtok: '0',
        output_per_mtok: '0',
      }),
      0n,
    ],
  ]
  for (const [what, hold, expected] of table) test(what, () => assert.equal(hold, expected))

  test('takes the whole window for a file of unknown length, null without a window', () => {
    assert.equal(of(LIST, { promptTokens: null }), null)
    assert.equal(of(LIST, { promptTokens: null, contextWindow: 1_000 }), BigInt(1_000 * 2 + 100 * 10) * 1_000_000n)
  })

  test('is as much larger as the provider charges more than the list price, never rounded down', () => {
    const list = BigInt(SIZE * 2 + 1_000) * 1_000_000n
    assert.equal(of(LIST, { pricePercent: 200 }), 2n * list)
    assert.equal(of(LIST, { pricePercent: 110 }), (list * 110n) / 100n)
    const odd = of({ ...LIST, output_per_mtok: '0.000001' }, { pricePercent: 101 })
    assert.equal(odd, (BigInt(SIZE) * 2_000_000n * 101n) / 100n + 100n * 2n)
  })

  test('is never less than what the call costs, whatever its tokens within the bounds are', () => {
    const media = { audio_output_per_mtok: '20', image_output_per_mtok: '50' }
    const price = compilePrice({ ...LIST, ...media, tiers: [tier(50, '3', '30')] })
    const prompt = 160
    const hold = moneyOf(holdTerms({ promptTokens: prompt, bounds, price, contextWindow: null, maxOutputTokens: null }))
    for (const { name } of PROMPT_CLASSES) {
      for (const tokens of [0, 1, 50, 51, prompt]) {
        for (const part of OUTPUT_PARTS) {
          const cost = costOf({ ...NO_USAGE, [name]: tokens, output: 100, [part.name]: 100 }, price)
          assert.ok(hold !== null && cost !== null && cost <= hold, `${tokens} of ${name}, ${part.name}`)
        }
      }
    }
  })
})
