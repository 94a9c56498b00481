import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { linePath, nameAt, placeAt, scaleTicks, seriesPath, thinned } from './bars-geometry.ts'

describe('the scale ends at a round figure that is not below the largest value', () => {
  for (const [largest, isWhole, ticks] of [
    [0, true, [0, 1]],
    [1, true, [0, 1]],
    [3, true, [0, 1, 2, 3]],
    [7, true, [0, 2, 4, 6, 8]],
    [10, true, [0, 5, 10]],
    [100, true, [0, 25, 50, 75, 100]],
    [180, true, [0, 50, 100, 150, 200]],
    [0.3, false, [0, 0.1, 0.2, 0.3]],
    [0.00015, false, [0, 0.00005, 0.0001, 0.00015]],
    [7.4, false, [0, 2, 4, 6, 8]],
  ] as const) {
    test(String(largest), () => assert.deepEqual(scaleTicks(largest, isWhole), ticks))
  }
})

describe('bars', () => {
  const plot = { width: 100, height: 100, count: 2, top: 10 }

  test('stand on the ground, as high as their value', () => {
    assert.equal(seriesPath(plot, 0, [[5, 10]], true), 'M5.5 100h39v-50h-39zM55.5 100h39v-100h-39z')
  })

  test('are stacked with a seam', () => {
    assert.equal(
      seriesPath(
        plot,
        1,
        [
          [5, 0],
          [4, 0],
        ],
        true,
      ),
      'M5.5 49h39v-39h-39z',
    )
  })

  test('stand beside each other', () => {
    assert.equal(seriesPath(plot, 0, [[5], [5]], false), 'M5.5 100h18.5v-50h-18.5z')
    assert.equal(seriesPath(plot, 1, [[5], [5]], false), 'M25 100h18.5v-50h-18.5z')
  })

  test('of nothing are not drawn, of almost nothing are seen', () => {
    assert.equal(seriesPath(plot, 0, [[0, 0]], true), '')
    assert.match(seriesPath(plot, 0, [[0.000001, 0]], true), /v-0\.75h/)
  })
})

test('the pointer is over an interval, or over none', () => {
  const plot = { width: 100, count: 4 }
  assert.deepEqual(
    [-1, 0, 26, 99.9, 100].map((x) => placeAt(x, plot)),
    [null, 0, 1, 3, null],
  )
})

test('names of marks do not touch', () => {
  assert.deepEqual(thinned(['a', 'b', 'c', 'd'], 400, 100), ['a', 'b', 'c', 'd'])
  assert.deepEqual(thinned(['a', 'b', 'c', 'd'], 200, 100), ['a', 'c'])
  assert.deepEqual(thinned(['a', 'b', 'c', 'd'], 10, 100), ['a'])
})

test('the name of a mark at the end of the drawing is not cut', () => {
  assert.deepEqual(nameAt(150, 200, 56), { x: 150, textAnchor: 'middle' })
  assert.deepEqual(nameAt(190, 200, 56), { x: 200, textAnchor: 'end' })
})

test('a line has gaps where there is no figure, and a figure that stands alone is a dot', () => {
  const plot = { width: 40, height: 100, count: 4, top: 10 }
  assert.equal(linePath(plot, [5, 10, null, 0]), 'M5 50L5 50L15 0M35 100L35 100')
  assert.equal(linePath(plot, [null, null, null, null]), '')
})
