import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Period } from '../domain/budgets/budget-period.ts'
import { type CorrectedDay, correctionsEnd, unreleased, withCorrections } from '../domain/budgets/corrections.ts'
import { asPicodollars, picodollarsOfUsd } from '../domain/pricing/price.ts'
import { limitOf, sumsOf } from './admission.ts'

const at = (time: string) => Date.parse(time)
const dayOf = (date: string) => at(`${date}T00:00:00Z`) / 86_400_000
const corrected = (date: string, usd: { charged?: string; released?: string }): CorrectedDay => ({
  day: dayOf(date),
  charged: picodollarsOfUsd(usd.charged ?? '0'),
  released: picodollarsOfUsd(usd.released ?? '0'),
  cost: 0n,
})
const limits = (per: Period) => ({ rpm: 5, budget: { usd: '10', per, mode: 'hard' as const } })
const leftAt = (days: CorrectedDay[], per: Period, time: string) => {
  const budget = withCorrections(limits(per), days, at(time))?.budget
  assert.ok(budget)
  return limitOf(budget)
}
const usd = (text: string) => picodollarsOfUsd(text)

describe('a correction counts in the period of its call', () => {
  const days = [corrected('2026-11-18', { released: '3' }), corrected('2026-11-17', { charged: '2' })]
  const table: [per: Period, time: string, limit: string][] = [
    ['day', '2026-11-18T12:00:00Z', '13'],
    ['day', '2026-11-17T12:00:00Z', '11'],
    ['week', '2026-11-18T12:00:00Z', '11'],
    ['month', '2026-11-30T12:00:00Z', '11'],
    ['month', '2026-12-02T00:00:00Z', '10'],
    ['total', '2027-05-01T00:00:00Z', '11'],
  ]
  for (const [per, time, limit] of table) {
    test(`${per} at ${time}: ${limit} USD`, () => assert.equal(leftAt(days, per, time), usd(limit)))
  }
})

describe('clocks differ, and a budget is never looser for it', () => {
  const released = [corrected('2026-11-18', { released: '3' })]
  const charged = [corrected('2026-11-18', { charged: '3' })]
  for (const [days, time, limit] of [
    [released, '2026-11-18T23:58:59Z', '13'],
    [released, '2026-11-18T23:59:00Z', '10'],
    [charged, '2026-11-19T00:00:59Z', '7'],
    [charged, '2026-11-19T00:01:00Z', '10'],
  ] as const) {
    test(`${days === released ? 'released' : 'charged'} at ${time}: ${limit} USD`, () =>
      assert.equal(leftAt([...days], 'day', time), usd(limit)))
  }
  test('limits are worked out again a minute before and after midnight', () => {
    for (const [now, end] of [
      ['2026-11-18T00:00:30Z', '2026-11-18T00:01:00Z'],
      ['2026-11-18T00:01:00Z', '2026-11-18T23:59:00Z'],
      ['2026-11-18T12:00:00Z', '2026-11-18T23:59:00Z'],
      ['2026-11-18T23:59:00Z', '2026-11-19T00:01:00Z'],
    ] as const) {
      assert.equal(new Date(correctionsEnd(at(now))).toISOString(), `${end.slice(0, -1)}.000Z`, now)
    }
  })
  test('where that is late, nothing counts as released, and what was charged still does', () => {
    const both = [corrected('2026-11-18', { released: '3', charged: '1' })]
    const shifted = withCorrections(limits('day'), both, at('2026-11-18T12:00:00Z'))
    assert.equal(limitOf(shifted?.budget ?? assert.fail()), usd('12'))
    assert.equal(limitOf(unreleased(shifted)?.budget ?? assert.fail()), usd('9'))
    assert.equal(unreleased(shifted), unreleased(shifted))
    const plain = limits('day')
    assert.equal(unreleased(plain), plain)
  })
})

test('people see the whole budget, and what counts of it', () => {
  const budget = withCorrections(limits('total'), [corrected('2026-11-18', { released: '3' })], 0)?.budget
  assert.deepEqual(sumsOf(budget ?? assert.fail(), asPicodollars(usd('7'))), { limit: usd('10'), spent: usd('4') })
})

test('without a budget or a correction, limits stay the same value', () => {
  const bare = { rpm: 5 }
  assert.equal(withCorrections(bare, [corrected('2026-11-18', { released: '3' })], 0), bare)
  assert.equal(withCorrections(null, [], 0), null)
  const whole = limits('day')
  assert.equal(withCorrections(whole, [corrected('2026-11-18', { released: '3' })], at('2026-12-01T00:00:00Z')), whole)
})
