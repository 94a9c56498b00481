import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Budget } from '../../components/limits/budget-watch.ts'
import { payersOf } from './payers.ts'

const key = (id: string, paused_at: string | null = null) => ({ id, name: id, prefix: `gw_live_${id}`, paused_at })

function budgetOf(id: string, state: Budget['state'], remaining_usd: string, mode: 'hard' | 'soft' = 'hard'): Budget {
  const money = { limit_usd: '5', spent_usd: '0', held_usd: '0', remaining_usd, starts_at: null, resets_at: null }
  const limits = { budget: { usd: '5', per: 'month', mode } }
  const budget = { scope: 'key', id, state, limits, periods: { month: money } }
  return budget as unknown as Budget
}

test('a key far from its limits comes before one that has used them up; a paused one is left out', () => {
  const keys = [key('spent'), key('paused', '2026-11-18T00:00:00Z'), key('soft'), key('rich'), key('free')]
  const payers = payersOf(keys, [
    budgetOf('spent', 'over', '0'),
    budgetOf('soft', 'near', '0', 'soft'),
    budgetOf('rich', 'ok', '3.5'),
  ])
  assert.deepEqual(
    payers.map(({ id, note, canPay }) => [id, note, canPay]),
    [
      ['rich', '$3.50 left this month', true],
      ['free', 'gw_live_free…', true],
      ['soft', 'gw_live_soft…', true],
      ['spent', 'budget used up', false],
    ],
  )
})
