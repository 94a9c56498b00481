import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { hasGap, mergeRows, neighbours, newcomers } from './rows.ts'

const row = (id: string, second: number, state = 'closed') => ({
  id,
  started_at: `2026-11-15T06:00:${String(second).padStart(2, '0')}.000Z`,
  state,
})
const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id).join('')

describe('lists are put together', () => {
  test('newest first, each request once, by id within a millisecond', () => {
    assert.equal(ids(mergeRows([row('d', 4), row('b', 2)], [row('e', 4), row('c', 3), row('b', 2)])), 'edcb')
  })

  test('a request that was running when first read is shown as it ended', () => {
    const [merged] = mergeRows([row('a', 1, 'open')], [row('a', 1, 'closed')])
    assert.equal(merged?.state, 'closed')
  })

  test('one that ended late and only now meets the filter stands where it began', () => {
    assert.equal(ids(mergeRows([row('c', 3), row('a', 1)], [row('c', 3), row('b', 2)])), 'cba')
  })
})

describe('what is new', () => {
  test('is what the list does not have', () => {
    assert.equal(ids(newcomers([row('b', 2), row('a', 1)], [row('d', 4), row('c', 3), row('b', 2)])), 'dc')
  })

  test('is not what lies further back than the list goes', () => {
    assert.equal(ids(newcomers([row('c', 3), row('b', 2)], [row('d', 4), row('c', 3), row('a', 1)])), 'd')
  })

  test('of an empty list is everything', () => {
    assert.equal(ids(newcomers([], [row('b', 2), row('a', 1)])), 'ba')
  })
})

describe('a gap', () => {
  test('is there when a full page of new ones does not reach what is shown', () => {
    assert.equal(hasGap([row('a', 1)], [row('d', 4), row('c', 3)], false), true)
  })

  test('is not there when the two meet, or when the page is the whole log', () => {
    assert.equal(hasGap([row('a', 1)], [row('b', 2), row('a', 1)], false), false)
    assert.equal(hasGap([row('a', 1)], [row('b', 2)], true), false)
    assert.equal(hasGap([], [row('b', 2)], false), false)
  })
})

describe('the neighbours of an open request', () => {
  const rows = [row('c', 3), row('b', 2), row('a', 1)]

  test('are the rows above and below', () => {
    const { index, newer, older } = neighbours(rows, 'b')
    assert.deepEqual([index, newer?.id, older?.id], [1, 'c', 'a'])
  })

  test('are missing at the ends and for one that is not in the list', () => {
    assert.equal(neighbours(rows, 'c').newer, undefined)
    assert.equal(neighbours(rows, 'a').older, undefined)
    assert.deepEqual(neighbours(rows, 'x'), { index: null, newer: undefined, older: undefined })
  })
})
