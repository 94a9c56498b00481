import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Period, periodBounds } from './budget-period.ts'

describe('a moment belongs to', () => {
  const table: [at: string, period: Period, from: string, to: string][] = [
    ['2026-11-15T04:13:51.123Z', 'day', '2026-11-15', '2026-11-16'],
    ['2026-11-15T00:00:00.000Z', 'day', '2026-11-15', '2026-11-16'],
    ['2026-11-14T23:59:59.999Z', 'day', '2026-11-14', '2026-11-15'],
    ['2026-11-15T23:59:59.999Z', 'week', '2026-11-09', '2026-11-16'],
    ['2026-11-16T00:00:00.000Z', 'week', '2026-11-16', '2026-11-23'],
    ['2027-01-01T12:00:00.000Z', 'week', '2026-12-28', '2027-01-04'],
    ['2028-02-29T12:00:00.000Z', 'week', '2028-02-28', '2028-03-06'],
    ['2026-12-31T23:59:59.999Z', 'month', '2026-12-01', '2027-01-01'],
    ['2028-02-29T00:00:00.000Z', 'month', '2028-02-01', '2028-03-01'],
  ]
  for (const [at, period, from, to] of table) {
    test(`the ${period} from ${from}: ${at}`, () => {
      const { startsAt, resetsAt } = periodBounds(period, Date.parse(at))
      assert.deepEqual([startsAt, resetsAt], [Date.parse(from), Date.parse(to)])
    })
  }
  test('the total, which never ends', () =>
    assert.deepEqual(periodBounds('total', Date.now()), { startsAt: 0, resetsAt: null }))
})
