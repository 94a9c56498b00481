import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isComparable, rangeBefore } from './range.ts'

const DAY_MS = 86_400_000

describe('the period before', () => {
  const range = { from: '2026-11-09T00:00:00.000Z', to: '2026-11-15T06:12:03.120Z' }
  const before = { from: '2026-11-02T00:00:00.000Z', to: '2026-11-08T06:12:03.120Z' }

  test('is equally long and cut at the same time of the day', () => {
    assert.deepEqual(rangeBefore(range, 7 * DAY_MS), before)
  })

  test('can be cut at whole minutes, so that it stays the same for a while', () => {
    const minutes = rangeBefore(range, 7 * DAY_MS, 300_000)
    assert.deepEqual(minutes, { ...before, to: '2026-11-08T06:10:00.000Z' })
    assert.equal(isComparable(range, minutes, 7 * DAY_MS, 300_000), true)
    assert.equal(isComparable(range, minutes, 7 * DAY_MS), false)
  })

  test('is compared with its own period only', () => {
    assert.equal(isComparable(range, before, 7 * DAY_MS), true)
    assert.equal(isComparable(range, before, 30 * DAY_MS), false)
    assert.equal(isComparable(range, { ...before, to: range.to }, 7 * DAY_MS), false)
  })
})

test('right after midnight the day before is not cut to nothing', () => {
  const now = { from: '2026-11-16T00:00:00.000Z', to: '2026-11-16T00:02:00.000Z' }
  const before = rangeBefore(now, DAY_MS, 300_000)
  assert.deepEqual(before, { from: '2026-11-15T00:00:00.000Z', to: '2026-11-15T00:02:00.000Z' })
  assert.ok(isComparable(now, before, DAY_MS, 300_000))
})
