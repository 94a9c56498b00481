import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forecastSpend, forecastSpread } from './forecast.ts'

const DAY = 86_400_000
const week = { spent: 600n, startsAt: 0, resetsAt: 7 * DAY }

for (const [what, period, since, now, expected] of [
  ['halfway through, twice what is spent', week, 0, 3.5 * DAY, 1200n],
  ['at the end, what is spent', week, 0, 7 * DAY, 600n],
  ['nothing spent, nothing expected', { ...week, spent: 0n }, 0, 3 * DAY, 0n],
  ['a key of yesterday has had one day, not three', week, 2 * DAY, 3 * DAY, 3000n],
  ['a period that has just begun says nothing', week, 0, DAY / 10, null],
  ['a key that is just created says nothing', week, 3 * DAY, 3 * DAY, null],
  ['a total budget has no end', { ...week, resetsAt: null }, 0, 3 * DAY, null],
] as const) {
  test(what, () => assert.equal(forecastSpend(period, since, now), expected))
}

// Days of 10, 20 and 30 differ by a standard deviation of 10: of n days left it is 10 × √(n + n² / 3), times 1.28.
for (const [what, days, left, expected] of [
  ['two days say nothing', [10n, 20n], DAY, null],
  ['days that are alike leave no spread', [7n, 7n, 7n, 7n], 20 * DAY, 0n],
  ['a day left: 12.8 × √(4/3)', [1000n, 2000n, 3000n], DAY, 1478n],
  ['nine days left: 12.8 × √36', [1000n, 2000n, 3000n], 9 * DAY, 7680n],
  ['nothing left, nothing open', [1000n, 2000n, 3000n], 0, 0n],
  [
    'amounts beyond a double keep their digits',
    [10n ** 30n, 2n * 10n ** 30n, 3n * 10n ** 30n],
    9 * DAY,
    768n * 10n ** 28n,
  ],
] as const) {
  test(what, () => assert.equal(forecastSpread(days, left), expected))
}
