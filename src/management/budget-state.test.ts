import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Limits } from '../domain/limits.ts'
import { picodollarsOfUsd } from '../domain/pricing/price.ts'
import type { ScopeStatus } from '../limits/ledger.ts'
import { budgetState, NONE_REFUSED, refusedByScope } from './budget-state.ts'

const HOUR = 3_600_000
const NOW = 100 * HOUR
const hard: Limits = { budget: { usd: '10', per: 'day', mode: 'hard' } }

function status(spentUsd: string): ScopeStatus {
  const period = { spent: picodollarsOfUsd(spentUsd), held: picodollarsOfUsd('0'), startsAt: 96 * HOUR, resetsAt: null }
  const periods = { day: period, week: period, month: period, total: period }
  const none = picodollarsOfUsd('0')
  return { periods, requestsLastMinute: 0, tokensLastMinute: 0, inFlight: 0, idle: none } as ScopeStatus
}

describe('the state of a budget', () => {
  for (const [what, spent, refused, expected] of [
    ['plenty is left', '3', {}, 'ok'],
    ['80 % is used', '8', {}, 'near'],
    ['all is used', '10', {}, 'over'],
    ['the rest does not cover the calls that come', '3', { byBudget: 97 * HOUR }, 'near'],
    ['calls were refused in the period before', '3', { byBudget: 95 * HOUR }, 'ok'],
    ['a rate was exceeded in the last hour', '3', { byRate: 99 * HOUR }, 'near'],
    ['a rate was exceeded this morning', '3', { byRate: 90 * HOUR }, 'ok'],
  ] as const) {
    test(`${what}: ${expected}`, () =>
      assert.equal(budgetState(hard, status(spent), { ...NONE_REFUSED, ...refused }, NOW), expected))
  }
})

test('refusals count for the key and its workspace, and are blamed on the key if it has such a limit', () => {
  const row = { workspace: 'team', code: 'budget_exceeded', requests: 2, lastHour: 99 * HOUR } as const
  const found = refusedByScope(
    [
      { ...row, keyId: 'limited' },
      { ...row, keyId: 'free', lastHour: 98 * HOUR },
      { ...row, keyId: 'free', code: 'key_rate_limited', lastHour: 97 * HOUR },
    ],
    (id) => (id === 'limited' ? hard : null),
  )
  assert.deepEqual(Object.fromEntries(found), {
    'key limited': { calls: 2, byBudget: 99 * HOUR, byRate: 0 },
    'workspace team': { calls: 6, byBudget: 98 * HOUR, byRate: 97 * HOUR },
    'key free': { calls: 4, byBudget: 98 * HOUR, byRate: 97 * HOUR },
  })
})
