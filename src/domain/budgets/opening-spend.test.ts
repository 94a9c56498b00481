import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Period } from './budget-period.ts'
import { openingEnds, withOpening } from './opening-spend.ts'

const at = Date.parse('2026-11-18T10:00:00Z')
const opening = { usd: '2.5', at, note: null }
const limits = (per: Period) => ({ rpm: 5, budget: { usd: '10', per, mode: 'hard' as const } })

describe('opening spend counts in the period that it falls into, and a minute longer', () => {
  const table: [per: Period, ends: string | null][] = [
    ['day', '2026-11-19T00:01:00Z'],
    ['week', '2026-11-23T00:01:00Z'],
    ['month', '2026-12-01T00:01:00Z'],
    ['total', null],
  ]
  for (const [per, ends] of table) {
    test(per, () => {
      const end = ends === null ? null : Date.parse(ends)
      assert.equal(openingEnds(opening, per), end)
      const counted = { ...limits(per), budget: { ...limits(per).budget, opening: '2.5' } }
      assert.deepEqual(withOpening(limits(per), opening, end === null ? at * 2 : end - 1), counted)
      if (end !== null) assert.deepEqual(withOpening(limits(per), opening, end), limits(per))
    })
  }
})

test('without a budget, or without one of it, limits stay the same value', () => {
  const [bare, whole] = [{ rpm: 5 }, limits('day')]
  assert.equal(withOpening(null, opening, at), null)
  assert.equal(withOpening(bare, opening, at), bare)
  assert.equal(withOpening(whole, null, at), whole)
})
