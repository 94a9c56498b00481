import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { PRICE_CLASSES } from '../../format/token-classes.ts'
import { fieldMove, moveOf, movesOf, type PriceList } from './price-change.ts'

describe('which way a price went', () => {
  for (const [before, after, direction, percent] of [
    ['0.75', '0.6', 'down', '−20 %'],
    ['2.50', '2.75', 'up', '+10 %'],
    ['10', '10.000001', 'up', '+<0.1 %'],
    ['0.3', '0.2', 'down', '−33.3 %'],
    ['0.01', '5', 'up', '+49900 %'],
    ['0', '1', 'up', null],
    ['1', '0', 'down', '−100 %'],
    [null, '1', 'set', null],
    ['1', null, 'unset', null],
  ] as const) {
    test(`${before} → ${after}`, () => {
      const move = moveOf('Input', before, after)
      assert.deepEqual([move?.direction, move?.percent], [direction, percent])
    })
  }

  test('the same amount written otherwise is no change', () => {
    assert.equal(moveOf('Input', '2.50', '2.5'), null)
    assert.equal(moveOf('Input', null, null), null)
  })
})

describe('what a version changed', () => {
  const unknown = Object.fromEntries(PRICE_CLASSES.map(({ field }) => [field, null])) as Omit<
    PriceList,
    'tiers' | 'unit_prices'
  >
  const list = (input: string, tiers: [number, string][] = []): PriceList => ({
    ...unknown,
    input_per_mtok: input,
    unit_prices: [],
    tiers: tiers.map(([prompt_tokens_above, price]) => ({ prompt_tokens_above, ...unknown, input_per_mtok: price })),
  })

  test('every class of every length, in order', () => {
    const moves = movesOf(
      list('1', [[200_000, '2']]),
      list('1.5', [
        [100_000, '2'],
        [200_000, '3'],
      ]),
    )
    assert.deepEqual(
      moves.map(({ name, before, after }) => [name, before, after]),
      [
        ['Input', '1', '1.5'],
        ['Input above 100,000 tokens', null, '2'],
        ['Input above 200,000 tokens', '2', '3'],
      ],
    )
  })

  test('the first version sets what it has', () => {
    assert.deepEqual(
      movesOf(null, list('1')).map(({ name, direction }) => [name, direction]),
      [['Input', 'set']],
    )
  })
})

test('a field of an import is a price or it is not', () => {
  assert.equal(fieldMove('output_per_mtok', '1', '2')?.direction, 'up')
  assert.equal(fieldMove('context_window', 1, 2), null)
})
