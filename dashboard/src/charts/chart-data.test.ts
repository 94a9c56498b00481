import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assignColors, type Cell, endOf, stackCells, startsOf } from './chart-data.ts'

const STARTS = ['2026-11-01T00:00:00.000Z', '2026-11-02T00:00:00.000Z', '2026-11-03T00:00:00.000Z']
const cell = (day: number, group: string, value: string): Cell => ({ start: STARTS[day - 1] ?? '', group, value })

describe('the starts of a range', () => {
  test('days without calls are there too, the last one only in part', () => {
    assert.deepEqual(startsOf('2026-11-01T00:00:00.000Z', '2026-11-03T05:00:00.000Z', 'day'), STARTS)
  })

  test('a range that ends with an interval does not begin another', () => {
    assert.equal(startsOf('2026-11-01T00:00:00.000Z', '2026-11-01T02:00:00.000Z', 'hour').length, 2)
  })

  test('the first is the beginning of the interval in which the range begins', () => {
    assert.equal(startsOf('2026-11-01T10:30:30Z', '2026-11-01T10:32:00Z', 'minute')[0], '2026-11-01T10:30:00.000Z')
  })

  test('an interval ends where the next begins', () => assert.equal(endOf(STARTS[0] ?? '', 'day'), STARTS[1]))
})

describe('stacks', () => {
  test('the largest group comes first, gaps are nothing, sums are exact', () => {
    const { stacks, rest } = stackCells([cell(1, 'a', '0.1'), cell(3, 'a', '0.2'), cell(2, 'b', '5')], STARTS)
    assert.equal(rest, null)
    assert.deepEqual(stacks, [
      { group: 'b', values: ['0', '5', '0'], total: '5' },
      { group: 'a', values: ['0.1', '0', '0.2'], total: '0.3' },
    ])
  })

  test('as many groups as colours are all shown', () => {
    const cells = ['a', 'b', 'c'].map((group) => cell(1, group, '1'))
    assert.deepEqual(
      stackCells(cells, STARTS, 3).stacks.map(({ group }) => group),
      ['a', 'b', 'c'],
    )
  })

  test('more groups than colours: the smallest are added up, and none is lost', () => {
    const cells = ['a', 'b', 'c', 'd'].map((group, index) => cell(1 + (index % 2), group, String(10 - index)))
    const { stacks, rest } = stackCells(cells, STARTS, 3)
    assert.deepEqual(
      stacks.map(({ group }) => group),
      ['a', 'b'],
    )
    assert.deepEqual(rest, { group: '', groups: 2, values: ['8', '7', '0'], total: '15' })
  })

  test('a group of nothing takes no colour; figures outside the range are left out', () => {
    const cells = [cell(1, 'free', '0'), { start: '2026-12-01T00:00:00.000Z', group: 'late', value: '9' }]
    assert.deepEqual(stackCells(cells, STARTS), { stacks: [], rest: null })
  })
})

describe('colours', () => {
  test('are given in order', () => {
    assert.deepEqual(
      [...assignColors(new Map(), ['a', 'b'], 8)],
      [
        ['a', 0],
        ['b', 1],
      ].map(([k, v]) => [k, v]),
    )
  })

  test('stay with their group when the order changes and another comes in', () => {
    const before = assignColors(new Map(), ['a', 'b'], 8)
    const after = assignColors(before, ['c', 'b', 'a'], 8)
    assert.deepEqual([after.get('a'), after.get('b'), after.get('c')], [0, 1, 2])
  })

  test('of groups that left are given again', () => {
    const after = assignColors(new Map([['old', 0]]), ['new'], 1)
    assert.equal(after.get('new'), 0)
  })
})
