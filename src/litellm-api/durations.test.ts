import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Period } from '../domain/budgets/budget-period.ts'
import { durationOf, expiryOf, graceSeconds, periodOf } from './durations.ts'

const NOW = Date.parse('2026-11-18T10:00:00Z')

describe('a budget_duration is a period', () => {
  const table: [duration: string | null, period: Period, shown: string | null][] = [
    [null, 'total', null],
    ['1d', 'day', '1d'],
    ['24h', 'day', '1d'],
    ['7d', 'week', '7d'],
    ['1w', 'week', '7d'],
    ['30d', 'month', '30d'],
    ['1mo', 'month', '30d'],
    ['Monthly', 'month', '30d'],
  ]
  for (const [duration, period, shown] of table) {
    test(String(duration), () => {
      assert.equal(periodOf(duration), period)
      assert.equal(durationOf(period, undefined), shown)
      assert.equal(durationOf(period, duration ?? undefined), duration)
    })
  }
  for (const odd of ['5d', '2mo', '1h', 'soon']) {
    test(`${odd} is refused`, () => assert.throws(() => periodOf(odd), { code: 'invalid_request' }))
  }
  test('what was written before is not shown once the budget has another period', () => {
    assert.equal(durationOf('day', '1mo'), '1d')
  })
})

describe('a duration ends at', () => {
  const table: [duration: string | null, end: string | null][] = [
    [null, null],
    ['', null],
    ['-1', null],
    ['30s', '2026-11-18T10:00:30.000Z'],
    ['15m', '2026-11-18T10:15:00.000Z'],
    ['24h', '2026-11-19T10:00:00.000Z'],
    ['30d', '2026-12-18T10:00:00.000Z'],
    ['2w', '2026-12-02T10:00:00.000Z'],
    ['1mo', '2026-12-18T10:00:00.000Z'],
  ]
  for (const [duration, end] of table) test(String(duration), () => assert.equal(expiryOf(duration, NOW), end))
  for (const odd of ['soon', '1y', '-5d', '1.5h']) {
    test(`${odd} is refused`, () => assert.throws(() => expiryOf(odd, NOW), { code: 'invalid_request' }))
  }
})

test('a grace period is in seconds; none is none', () => {
  assert.deepEqual([graceSeconds('24h', NOW), graceSeconds(null, NOW), graceSeconds(undefined, NOW)], [86_400, 0, 0])
})
