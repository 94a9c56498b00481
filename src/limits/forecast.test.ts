import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forecastSpend } from './forecast.ts'

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
