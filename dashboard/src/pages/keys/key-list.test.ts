import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isChangeable, keyState, works } from '../../format/key-state.ts'
import { type Budget, budgetMoney, type Key, type ListedKey, matching, sorted, withUse } from './key-list.ts'

const NOW = Date.parse('2026-11-15T12:00:00Z')

function key(name: string, more: Partial<Key> = {}): ListedKey {
  return {
    id: `id-${name}`,
    name,
    prefix: `gw_live_${name.slice(0, 4)}`,
    workspace: 'default',
    created_at: '2026-10-01T00:00:00Z',
    expires_at: null,
    revoked_at: null,
    paused_at: null,
    allowed_models: null,
    limits: null,
    managed_by: null,
    note: null,
    opening_spend: null,
    last_used_at: null,
    spent_usd: '0',
    ...more,
    use: null,
  }
}

function budget(id: string, limit: string, spent: string): Budget {
  const empty = {
    limit_usd: null,
    spent_usd: spent,
    held_usd: '0',
    opening_usd: '0',
    unconfirmed_usd: '0',
    remaining_usd: null,
    starts_at: null,
    resets_at: null,
  }
  return {
    scope: 'key',
    id,
    name: 'x',
    workspace: 'default',
    limits: { budget: { usd: limit, per: 'month', mode: 'hard' } },
    state: 'ok',
    periods: { day: empty, week: empty, month: { ...empty, limit_usd: limit, remaining_usd: '0' }, total: empty },
    values: null,
    forecast_usd: null,
    forecast_low_usd: null,
    forecast_high_usd: null,
    refused_last_day: 0,
    requests_last_minute: 0,
    tokens_last_minute: 0,
    in_flight: 0,
    leased_usd: '0',
  }
}

describe('the state of a key', () => {
  for (const [expires_at, revoked_at, state] of [
    [null, null, 'live'],
    ['2027-01-01T00:00:00Z', null, 'live'],
    ['2026-11-18T00:00:00Z', null, 'expiring'],
    ['2026-11-15T12:00:00Z', null, 'expired'],
    [null, '2026-11-15T11:59:59Z', 'revoked'],
    [null, '2026-11-16T00:00:00Z', 'replaced'],
    ['2026-11-10T00:00:00Z', '2026-11-16T00:00:00Z', 'expired'],
    ['2026-11-10T00:00:00Z', '2026-11-12T00:00:00Z', 'revoked'],
  ] as const) {
    test(`expires ${expires_at}, revoked ${revoked_at}: ${state}`, () =>
      assert.equal(keyState({ expires_at, revoked_at }, NOW), state))
  }

  test('a paused key is paused until it ends; it can be changed, but no call can be made with it', () => {
    const paused = { expires_at: '2026-11-18T00:00:00Z', revoked_at: null, paused_at: '2026-11-14T00:00:00Z' }
    assert.equal(keyState(paused, NOW), 'paused')
    assert.equal(keyState({ ...paused, expires_at: '2026-11-15T00:00:00Z' }, NOW), 'expired')
    assert.deepEqual([works(paused, NOW), isChangeable({ ...paused, managed_by: null }, NOW)], [false, true])
  })

  test('an expired key can be given a new date; a revoked one and one of the file cannot be changed', () => {
    const expired = { expires_at: '2026-11-10T00:00:00Z', revoked_at: null }
    assert.equal(isChangeable({ ...expired, managed_by: null }, NOW), true)
    assert.equal(isChangeable({ ...expired, managed_by: 'config' }, NOW), false)
    assert.equal(isChangeable({ expires_at: null, revoked_at: '2026-11-01T00:00:00Z', managed_by: null }, NOW), false)
  })
})

describe('what is shown', () => {
  const keys = [key('web'), key('old', { revoked_at: '2026-11-01T00:00:00Z' }), key('CI')]
  const names = (filter: { search: string; revoked: boolean }) => matching(keys, filter, NOW).map(({ name }) => name)

  test('revoked keys only when asked for', () => {
    assert.deepEqual(names({ search: '', revoked: false }), ['web', 'CI'])
    assert.deepEqual(names({ search: '', revoked: true }), ['web', 'old', 'CI'])
  })

  test('a name in any case, a prefix, or a whole value that was found somewhere', () => {
    assert.deepEqual(names({ search: ' ci', revoked: false }), ['CI'])
    assert.deepEqual(names({ search: 'gw_live_web', revoked: false }), ['web'])
    assert.deepEqual(names({ search: 'gw_live_web0123456789', revoked: false }), ['web'])
  })
})

test('keys sort by use, by money and by how full their budget is', () => {
  const plain = [
    key('a', { spent_usd: '9', last_used_at: '2026-11-15T00:00:00Z' }),
    key('b', { spent_usd: '10.5', last_used_at: '2026-11-14T00:00:00Z' }),
    key('c', { spent_usd: '0.2' }),
  ]
  const keys = withUse(plain, [budget('id-a', '100', '9'), budget('id-c', '0.25', '0.2')])
  const names = (by: string, descending: boolean) => sorted(keys, { by, descending }, NOW).map(({ name }) => name)
  assert.deepEqual(names('name', true), ['c', 'b', 'a'])
  assert.deepEqual(names('spent', true), ['b', 'a', 'c'])
  assert.deepEqual(names('last-used', true), ['a', 'b', 'c'])
  assert.deepEqual(names('budget', true), ['c', 'a', 'b'])
  assert.equal(budgetMoney(keys[0]!)?.spent_usd, '9')
  assert.equal(budgetMoney(keys[1]!), null)
})

test('a key that did not change stays the same row, so that it is not drawn again', () => {
  const [first, second] = [key('a'), key('b')]
  const known = new Map()
  const before = withUse([first, second], [], known)
  const later = withUse([first, second], [budget('id-b', '10', '1')], known)
  assert.equal(later[0], before[0])
  assert.notEqual(later[1], before[1])
  assert.equal(later[1]?.use?.id, 'id-b')
})
