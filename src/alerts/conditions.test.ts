import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DEFAULT_RULES } from '../domain/alerts/rules.ts'
import type { ProviderStatus } from '../domain/gateway-status.ts'
import { LATENCY_BUCKETS } from '../request-log/usage/latency.ts'
import { type BudgetUse, refusingBudgets } from './budget-use.ts'
import * as conditions from './conditions.ts'
import { recentRows, stillNeeded, type TrafficRow, WINDOW_MS } from './traffic.ts'

const MINUTE = 60_000
const CENT = 10_000_000_000n

const use = (more: Partial<BudgetUse> = {}): BudgetUse => ({
  ...{ scope: { kind: 'key', id: 'k1' }, name: 'ci', workspace: 'default', per: 'month', startsAt: 7, isHard: true },
  ...{ limit: 100n * CENT, spent: 0n },
  ...more,
})

describe('budgets', () => {
  const found = (one: BudgetUse, refused = false) =>
    conditions.budgetConditions([one], refused ? new Set([one]) : new Set(), DEFAULT_RULES.budget)

  for (const [spent, threshold, severity] of [
    [50n * CENT - 1n, null, null],
    [50n * CENT, 50, 'info'],
    [79n * CENT, 50, 'info'],
    [80n * CENT, 80, 'warning'],
    [100n * CENT - 1n, 80, 'warning'],
    [100n * CENT, 100, 'critical'],
    [500n * CENT, 100, 'critical'],
  ] as const) {
    test(`${spent} of ${100n * CENT} is told at ${threshold}`, () => {
      const [condition] = found(use({ spent }))
      assert.equal(condition?.identity ?? null, threshold && `budget key k1 month 7 ${100n * CENT} ${threshold}`)
      assert.equal(condition?.severity ?? null, severity)
    })
  }

  test('the part from which a budget warns is a threshold of its own', () => {
    const [condition] = found(use({ spent: 30n * CENT, warnAt: 30 }))
    assert.match(condition?.identity ?? '', / 30$/)
    assert.deepEqual(found(use({ spent: 29n * CENT, warnAt: 30 })), [])
  })

  test('and the only one of a value, once for each', () => {
    const of = (value: string, spent: bigint) => found(use({ spent, warnAt: 90, value }))[0]
    assert.equal(of('session a', 89n * CENT), undefined)
    const [one, other] = [of('session a', 95n * CENT), of('session b', 95n * CENT)]
    assert.notEqual(one?.identity, other?.identity)
    assert.equal(one?.summary, 'Session a of ci in default has spent 90 % of its budget: $0.95 of $1.00 this month')
  })

  test('a hard budget whose rest is too small for a call is used up', () => {
    const [condition] = found(use({ spent: 90n * CENT }), true)
    assert.equal(condition?.severity, 'critical')
    assert.equal(
      condition?.summary,
      'The key ci in default has spent $0.90 of $1.00 this month: calls are being refused: too little budget is left',
    )
    assert.equal(condition?.supersedes.length, 2)
  })

  test('of a key and its workspace the one that is used more has refused', () => {
    const key = use({ spent: 20n * CENT })
    const workspace = use({ scope: { kind: 'workspace', id: 'default' }, spent: 95n * CENT })
    const soft = use({ spent: 99n * CENT, isHard: false })
    const refused = [{ workspace: 'default', keyId: 'k1' }]
    assert.deepEqual([...refusingBudgets([key, workspace, soft], refused)], [workspace])
    assert.deepEqual([...refusingBudgets([key], [{ workspace: 'default', keyId: 'other' }])], [])
  })
})

const row = (more: Partial<TrafficRow>): TrafficRow => ({
  ...{ time: 0, workspace: 'default', route: 'fast', provider: 'p', model: 'm', code: '', requests: 0, unpriced: 0 },
  ...{ promptTokens: 0, cachedTokens: 0 },
  latencies: Array.from({ length: LATENCY_BUCKETS }, () => 0),
  ...more,
})
/** Calls of one duration. */
const lasting = (bucket: number, requests: number, more: Partial<TrafficRow> = {}) =>
  row({
    requests,
    latencies: Array.from({ length: LATENCY_BUCKETS }, (_, at) => (at === bucket ? requests : 0)),
    ...more,
  })
const days = (make: (time: number) => TrafficRow[], count = 7) =>
  Array.from({ length: count }, (_, day) => make(day)).flat()

describe('the last ten minutes', () => {
  test('are the difference to a reading ten minutes ago, over the turn of an hour too', () => {
    const samples = [0, 5, 10, 15].map((minute) => ({
      at: minute * MINUTE,
      rows: [row({ requests: 100 + minute }), ...(minute > 10 ? [row({ time: 1, requests: 7 })] : [])],
    }))
    assert.deepEqual(
      recentRows(samples).map(({ requests }) => requests),
      [10, 7],
    )
    assert.deepEqual(
      stillNeeded(samples, 15 * MINUTE).map(({ at }) => at / MINUTE),
      [5, 10, 15],
    )
    assert.equal(WINDOW_MS, 10 * MINUTE)
    assert.deepEqual(recentRows([]), [])
  })
})

describe('the share of failed calls', () => {
  const failing = (failed: number, of: number) => [
    row({ requests: of - failed }),
    row({ requests: failed, code: 'upstream_error' }),
  ]
  const found = (recent: TrafficRow[], past: TrafficRow[]) =>
    conditions.errorRateConditions(recent, past, DEFAULT_RULES.error_rate).map(({ identity }) => identity)

  test('is told from ten percent, of enough calls, and three times what is usual', () => {
    assert.deepEqual(found(failing(9, 100), []), [])
    assert.deepEqual(found(failing(10, 100), []), ['error_rate default fast'])
    assert.deepEqual(found(failing(19, 19), []), [])
    const usual = days((time) => failing(5, 100).map((each) => ({ ...each, time })))
    assert.deepEqual(found(failing(14, 100), usual), [])
    assert.deepEqual(found(failing(16, 100), usual), ['error_rate default fast'])
  })

  test("one bad day is not usual, and callers' mistakes are no failures", () => {
    const past = days((time) => failing(time === 3 ? 90 : 1, 100).map((each) => ({ ...each, time })))
    assert.deepEqual(found(failing(10, 100), past), ['error_rate default fast'])
    assert.deepEqual(found([row({ requests: 100, code: 'invalid_request' })], []), [])
  })
})

describe('latency', () => {
  const found = (recent: TrafficRow[], past: TrafficRow[]) =>
    conditions.latencyConditions(recent, past, DEFAULT_RULES.latency).map(({ identity }) => identity)
  const usual = days((time) => [lasting(8, 200, { time })])

  test('is told at twice what is usual, and never without a past', () => {
    assert.deepEqual(found([lasting(13, 60)], usual), ['latency p m'])
    assert.deepEqual(found([lasting(9, 60)], usual), [])
    assert.deepEqual(found([lasting(13, 49)], usual), [])
    assert.deepEqual(
      found(
        [lasting(13, 60)],
        days((time) => [lasting(8, 200, { time })], 2),
      ),
      [],
    )
  })
})

test('a model without a price is told once', () => {
  const rows = [row({ unpriced: 1 }), row({ unpriced: 2, route: 'other' }), row({ model: 'priced' })]
  assert.deepEqual(
    conditions.unpricedConditions(rows, DEFAULT_RULES.unpriced).map(({ subject }) => subject),
    ['p m'],
  )
})

describe('providers', () => {
  const provider = (code: 'provider_auth_error' | 'upstream_error', lastSuccessAt: number | null): ProviderStatus => ({
    ...{ name: 'p', family: 'f', configured: true },
    circuits: [
      { model: 'a', state: 'open', until: 9 },
      { model: 'b', state: 'half-open', until: null },
    ],
    health: {
      ...{ recentCalls: 1, recentErrors: 1, lastSuccessAt },
      lastError: { at: 5, model: 'a', code, status: 401, message: 'sk-secret is wrong', requestId: 'r' },
    },
  })
  const account = (one: ProviderStatus) => conditions.accountConditions([one], DEFAULT_RULES.provider_account)

  test('a rejected key is told until a call succeeds, without what the provider said', () => {
    assert.deepEqual(
      account(provider('provider_auth_error', 4)).map(({ summary }) => summary),
      ['p rejects the key'],
    )
    assert.deepEqual(account(provider('provider_auth_error', 6)), [])
    assert.deepEqual(account(provider('upstream_error', null)), [])
  })

  test('an open circuit is told after a minute', () => {
    const [one, ...more] = conditions.circuitConditions([provider('upstream_error', null)], DEFAULT_RULES.circuit_open)
    assert.deepEqual([one?.identity, one?.forMs, more], ['circuit_open p a', MINUTE, []])
  })
})

test('a late log is told from a minute, and a rule that is off says nothing', () => {
  const node = { id: 'n', name: 'north', lagSeconds: 60, lagRows: 9 }
  assert.equal(conditions.backlogConditions(node, DEFAULT_RULES.log_backlog).length, 1)
  assert.equal(conditions.backlogConditions({ ...node, lagSeconds: 59 }, DEFAULT_RULES.log_backlog).length, 0)
  assert.equal(conditions.backlogConditions(node, { enabled: false, seconds: 1 }).length, 0)
})

test('a provider that states another cost is named once per model, with its newest call', () => {
  const stated = (id: string, model: string) => ({
    ...{ id, workspace: 'default', provider: 'p', model, cost: 42_000_000n, stated: 43_000_000n },
  })
  const rows = [stated('newest', 'm'), stated('older', 'm'), stated('other', 'n')]
  const found = conditions.statedConditions(rows, DEFAULT_RULES.stated_cost)
  assert.deepEqual(
    found.map(({ identity }) => identity),
    ['stated_cost p m', 'stated_cost p n'],
  )
  assert.equal(
    found[0]?.summary,
    'p m states another cost than ours: $0.000043 instead of $0.000042 for request newest',
  )
  assert.deepEqual(conditions.statedConditions(rows, { enabled: false }), [])
})

describe('a drift', () => {
  const usd = (cents: number) => BigInt(cents) * 10_000_000_000n
  const drift = (more: object) => ({
    ...{
      provider: 'p',
      period: '2026-05-04',
      model: 'm',
      ours: usd(1_000),
      theirs: usd(1_000),
      unexplained: 0n,
      ...more,
    },
  })
  const fires = (more: object, settings: object = {}) =>
    conditions.driftConditions([drift(more)], { ...DEFAULT_RULES.reconciliation_drift, ...settings }).length === 1

  for (const [name, more, settings, expected] of [
    ['above the amount', { unexplained: usd(101) }, { percent: 100 }, true],
    ['below nothing, too', { unexplained: usd(-101) }, { percent: 100 }, true],
    ['not at the amount itself', { unexplained: usd(100) }, { percent: 100 }, false],
    ['above the share of the larger side', { theirs: usd(1_060), unexplained: usd(60) }, {}, true],
    ['not at a lower share', { theirs: usd(1_040), unexplained: usd(40) }, {}, false],
    [
      'a share of less than a cent is too little',
      { ours: 0n, theirs: usd(1) / 2n, unexplained: usd(1) / 2n },
      {},
      false,
    ],
    ['not when it is switched off', { unexplained: usd(500) }, { enabled: false }, false],
  ] as const) {
    test(name, () => assert.equal(fires(more, settings), expected))
  }

  test('names provider, model, day, amount and where to look', () => {
    const [found] = conditions.driftConditions([drift({ unexplained: usd(310) })], DEFAULT_RULES.reconciliation_drift)
    assert.equal(found?.subject, 'p 2026-05-04 m')
    assert.equal(
      found?.summary,
      'p bills $3.1 more than booked for m on 2026-05-04, and no cause explains it: switchyard reconcile --month 2026-05',
    )
  })
})
