import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Budget } from '../../components/limits/budget-watch.ts'
import { isExceeded, matching, sorted } from './budget-list.ts'

const none = {
  limit_usd: null,
  spent_usd: '0',
  held_usd: '0',
  opening_usd: '0',
  unconfirmed_usd: '0',
  remaining_usd: null,
  starts_at: null,
  resets_at: null,
}

function budget(name: string, spent: string, more: Partial<Budget> = {}): Budget {
  const month = { ...none, limit_usd: '10', spent_usd: spent, remaining_usd: String(10 - Number(spent)) }
  return {
    ...{ scope: 'key', id: name, name, workspace: 'default', state: 'ok', leased_usd: '0', values: null },
    limits: { budget: { usd: '10', per: 'month', mode: 'hard' } },
    periods: { day: none, week: none, total: none, month },
    ...{
      forecast_usd: null,
      forecast_low_usd: null,
      forecast_high_usd: null,
      refused_last_day: 0,
      requests_last_minute: 0,
      tokens_last_minute: 0,
      in_flight: 0,
    },
    ...more,
  }
}

const rows = [
  budget('idle', '0'),
  budget('tight', '3', { state: 'near', refused_last_day: 4, forecast_usd: '12' }),
  budget('full', '10', { state: 'over', workspace: 'research', forecast_usd: '10' }),
  budget('busy', '9', { state: 'near' }),
]
const names = (found: readonly Budget[]) => found.map(({ name }) => name)

describe('the list of budgets', () => {
  for (const [by, expected] of [
    ['state', ['full', 'tight', 'busy', 'idle']],
    ['budget', ['full', 'busy', 'tight', 'idle']],
    ['left', ['idle', 'tight', 'busy', 'full']],
    ['forecast', ['tight', 'full', 'idle', 'busy']],
    ['refused', ['tight', 'idle', 'full', 'busy']],
  ] as const) {
    test(`largest ${by} first`, () => assert.deepEqual(names(sorted(rows, { by, descending: true })), expected))
  }

  test('is searched by name and workspace', () => {
    assert.deepEqual(names(matching(rows, ' FULL ')), ['full'])
    assert.deepEqual(names(matching(rows, 'research')), ['full'])
    assert.equal(matching(rows, '').length, 4)
  })

  test('a forecast beyond the budget is marked', () => assert.deepEqual(names(rows.filter(isExceeded)), ['tight']))
})
