import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { dayText, queryRange, sortOf, sortText, utcToday, viewOf } from './usage-view.ts'

const today = '2026-11-15'

describe('the address says what is shown', () => {
  test('nothing in it: the spend of 30 days by model, day by day', () => {
    assert.deepEqual(viewOf({}, today), {
      period: '30d',
      firstDay: '2026-10-17',
      lastDay: '2026-11-15',
      days: 30,
      interval: 'day',
      isAll: false,
      groupBy: 'model',
      measure: 'cost',
      filters: {},
      sort: { by: 'cost', descending: true },
    })
  })

  test('a week by the hour, of one key', () => {
    const view = viewOf({ period: '7d', interval: 'hour', group: 'key', key: 'k1', measure: 'tokens' }, today)
    assert.equal(view.firstDay, '2026-11-09')
    assert.equal(view.interval, 'hour')
    assert.equal(view.groupBy, 'key')
    assert.deepEqual(view.filters, { key: 'k1' })
    assert.deepEqual(view.sort, { by: 'tokens', descending: true })
  })

  test('a range of one’s own, both days included', () => {
    const view = viewOf({ from: '2026-11-01', to: '2026-11-03', period: '7d' }, today)
    assert.deepEqual([view.period, view.firstDay, view.lastDay, view.days], ['custom', '2026-11-01', '2026-11-03', 3])
  })

  test('hours of a long range become days', () => {
    assert.equal(viewOf({ period: '30d', interval: 'hour' }, today).interval, 'day')
  })

  test('what makes no sense is as if it were not there', () => {
    const view = viewOf({ from: '2026-11-09', to: '2026-11-01', group: 'moon', measure: '?', period: 'x' }, today)
    assert.deepEqual([view.period, view.groupBy, view.measure], ['30d', 'model', 'cost'])
    assert.equal(viewOf({ from: '2026-13-45', to: '2026-14-01' }, today).period, '30d')
  })
})

describe('the range that is asked for', () => {
  test('ends now when it ends today', () => {
    assert.deepEqual(queryRange({ firstDay: '2026-11-09', lastDay: today }, today), { from: '2026-11-09' })
  })

  test('ends with the last day when that is over', () => {
    const range = { firstDay: '2026-10-30', lastDay: '2026-10-31' }
    assert.deepEqual(queryRange(range, today), { from: '2026-10-30', to: '2026-11-01' })
  })
})

test('a sorting survives the address', () => {
  for (const sort of [
    { by: 'cost', descending: true },
    { by: 'group', descending: false },
  ])
    assert.deepEqual(sortOf(sortText(sort)), sort)
  assert.equal(sortOf(undefined), undefined)
})

test('today is a day in UTC', () => assert.equal(utcToday(Date.UTC(2026, 10, 15, 23, 59)), '2026-11-15'))

test('a day of this year needs no year', () => {
  assert.equal(dayText('2026-11-05', today), 'Nov 5')
  assert.equal(dayText('2025-11-05', today), 'Nov 5, 25')
})
