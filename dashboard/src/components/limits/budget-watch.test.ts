import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Budget, forecastWords, fullestFirst, moneyOf, pressedLimits, stateOf } from './budget-watch.ts'

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

function budget(name: string, change: Partial<Budget>): Budget {
  const periods = { day: none, week: none, month: none, total: none }
  const counts = { requests_last_minute: 0, tokens_last_minute: 0, in_flight: 0, leased_usd: '0' }
  const judged = {
    forecast_usd: null,
    forecast_low_usd: null,
    forecast_high_usd: null,
    values: null,
    refused_last_day: 0,
    state: 'ok' as const,
  }
  return { scope: 'key', id: name, name, workspace: 'default', limits: {}, periods, ...judged, ...counts, ...change }
}

function spent(name: string, usd: string, state: Budget['state']): Budget {
  const month = { ...none, limit_usd: '100', spent_usd: usd }
  return budget(name, {
    state,
    limits: { budget: { usd: '100', per: 'month', mode: 'hard' } },
    periods: { day: none, week: none, total: none, month },
  })
}

describe('budgets close to their limit', () => {
  test('the fullest comes first', () => {
    const all = [spent('near', '85', 'near'), spent('less', '81', 'near'), spent('over', '120', 'over')]
    assert.deepEqual(
      fullestFirst(all).map(({ name }) => name),
      ['over', 'near', 'less'],
    )
  })

  test('a limit of pace counts as well', () => {
    const busy = budget('busy', { state: 'near', limits: { rpm: 1000, tpm: 5000 }, requests_last_minute: 950 })
    assert.deepEqual(pressedLimits(busy), [{ words: '950 of 1,000 requests in the last minute', share: 0.95 }])
    assert.deepEqual(
      fullestFirst([spent('near', '85', 'near'), busy]).map(({ name }) => name),
      ['busy', 'near'],
    )
  })

  test('what refuses calls is never green', () => {
    assert.deepEqual(stateOf(spent('tight', '30', 'near')), { color: 'yellow', label: 'Near limit' })
    assert.deepEqual(stateOf({ ...spent('tight', '30', 'near'), refused_last_day: 3 }), {
      color: 'yellow',
      label: 'Refusing calls',
    })
    const paced = { ...budget('paced', { state: 'ok', limits: { rpm: 300 } }), refused_last_day: 5 }
    assert.deepEqual(stateOf({ ...paced, scope: 'key' }), { color: 'yellow', label: 'Refused calls' })
    assert.equal(stateOf({ ...paced, scope: 'workspace' }).label, 'OK')
    assert.equal(stateOf({ ...paced, scope: 'key', refused_last_day: 0 }).label, 'OK')
  })

  test('the forecast of a month is a range', () => {
    const [low, high] = ['90.123456789012', '131']
    const known = {
      ...spent('near', '85', 'near'),
      forecast_usd: '110',
      forecast_low_usd: low,
      forecast_high_usd: high,
    }
    assert.equal(forecastWords(known), 'Forecast for this month: $90.12 to $131.00')
    assert.equal(forecastWords({ ...known, forecast_high_usd: low }), 'Forecast for this month: $90.12')
    assert.equal(forecastWords({ ...known, forecast_low_usd: null, forecast_high_usd: null }), null)
  })

  test('money is that of the budget’s own period', () => {
    assert.deepEqual(moneyOf(spent('near', '85', 'near'))?.spent_usd, '85')
    assert.equal(moneyOf(budget('none', {})), null)
  })
})
