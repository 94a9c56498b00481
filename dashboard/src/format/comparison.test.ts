import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { compareFigures, compareShares, shareOf } from './comparison.ts'

describe('figures against the period before', () => {
  for (const [now, before, text, tone] of [
    [120, 100, '▲ 20 %', 'bad'],
    [50, 100, '▼ 50 %', 'good'],
    [103, 100, '▲ 3.0 %', 'plain'],
    [100, 100, 'no change', 'plain'],
    [0, 0, 'no change', 'plain'],
    [5, 0, 'none before', 'plain'],
    [0, 5, '▼ 100 %', 'good'],
    [2500, 100, '▲ × 25', 'bad'],
    [2_500_000, 100, '▲ × 25,000', 'bad'],
  ] as const) {
    test(`${before} → ${now}`, () => assert.deepEqual(compareFigures(now, before, 'down'), { text, tone }))
  }

  test('more requests are neither good nor bad', () => {
    assert.equal(compareFigures(200, 100, 'neither')?.tone, 'plain')
  })

  test('growth from next to nothing is new, not a factor of thousands', () => {
    assert.equal(compareFigures(79_119, 1, 'neither')?.text, 'new')
    assert.equal(compareFigures(99, 1, 'neither')?.text, '▲ × 99')
  })

  test('without a figure there is nothing to compare', () => {
    assert.equal(compareFigures(null, 5, 'down'), null)
    assert.equal(compareFigures(5, null, 'down'), null)
  })
})

describe('shares against the period before', () => {
  for (const [now, before, text, tone] of [
    [0.02, 0.01, '▲ 1.00 pt', 'bad'],
    [0.01, 0.02, '▼ 1.00 pt', 'good'],
    [0.0101, 0.01, '▲ 0.01 pt', 'plain'],
    [0.01, 0.01, 'no change', 'plain'],
    [0.001, 0, '▲ 0.10 pt', 'bad'],
  ] as const) {
    test(`${before} → ${now}`, () => assert.deepEqual(compareShares(now, before, 'down'), { text, tone }))
  }

  test('a share of nothing is unknown', () => {
    assert.equal(shareOf(0, 0), null)
    assert.equal(compareShares(shareOf(0, 0), 0.5, 'down'), null)
  })
})
