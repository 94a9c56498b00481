import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { compare, DAY, KEYS, Reference, SCOPES, type Step, take } from '../../test/limits/ledger-reference.ts'
import { asPicodollars, exactUsd } from '../domain/pricing/price.ts'
import { PERIODS } from './budget-period.ts'
import type { Scope } from './ledger.ts'
import { verifyLedger } from './verify-ledger.ts'

const USD = 1_000_000_000_000n
const limits = fc.record(
  {
    rpm: fc.integer({ min: 1, max: 6 }),
    tpm: fc.integer({ min: 1, max: 400 }),
    max_parallel: fc.integer({ min: 1, max: 4 }),
    budget: fc.record({
      usd: fc.integer({ min: 1, max: 12 }).map(String),
      per: fc.constantFrom(...PERIODS),
      mode: fc.constantFrom('hard' as const, 'hard' as const, 'soft' as const),
    }),
  },
  { requiredKeys: [] },
)
const index = fc.nat({ max: 1_000 })
const step = (mayLower: boolean): fc.Arbitrary<Step> =>
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        do: fc.constant('admit' as const),
        key: fc.constantFrom(...Object.keys(KEYS)),
        hold: fc.oneof({ weight: 9, arbitrary: fc.bigInt({ min: 0n, max: 3n * USD }) }, fc.constant(null)),
        tokens: fc.nat({ max: 150 }),
      }),
    },
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant('settle' as const),
        index,
        percent: fc.nat({ max: 100 }),
        usedPercent: fc.nat({ max: 100 }),
      }),
    },
    fc.record({ do: fc.constant('release' as const), index }),
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('pass' as const),
        ms: fc.oneof(
          fc.nat({ max: 1_500 }),
          fc.constantFrom(999, 1_000, 59_999, 60_000, 60_001, 61_000, 3_600_000, DAY, 7 * DAY, 31 * DAY),
          fc.integer({ min: -90_000, max: -1 }),
        ),
      }),
    },
    fc.constant<Step>({ do: 'crash' }),
    ...(mayLower
      ? [
          {
            weight: 2,
            arbitrary: fc.record({
              do: fc.constant('limit' as const),
              scope: fc.constantFrom(...SCOPES),
              limits: fc.option(limits),
            }),
          },
        ]
      : []),
  ) as fc.Arbitrary<Step>

test('in any order of events the ledger equals the sum of its calls', () => {
  fc.assert(
    fc.property(
      fc.array(limits, { minLength: 5, maxLength: 5 }),
      fc.array(step(true), { maxLength: 60 }),
      (first, steps) => {
        const model = new Reference()
        for (const [place, scope] of SCOPES.entries()) take(model, { do: 'limit', scope, limits: first[place] ?? null })
        for (const each of steps) {
          take(model, each)
          compare(model)
        }
      },
    ),
    { numRuns: 400 },
  )
})

test('a hard budget is never exceeded, and no sixty seconds hold more than the limits admit', () => {
  fc.assert(
    fc.property(
      fc.array(limits, { minLength: 5, maxLength: 5 }),
      fc.array(step(false), { maxLength: 80 }),
      (first, steps) => {
        const model = new Reference()
        for (const [place, scope] of SCOPES.entries()) take(model, { do: 'limit', scope, limits: first[place] ?? null })
        for (const each of steps) {
          take(model, each)
          for (const scope of SCOPES) assertWithin(model, scope)
        }
      },
    ),
    { numRuns: 400 },
  )
})

function assertWithin(model: Reference, scope: Scope): void {
  const bound = model.limitsOf(scope)
  if (bound?.budget?.mode === 'hard') {
    const { spent, held } = model.ledger.look(scope).periods[bound.budget.per]
    assert.ok(
      spent + held <= BigInt(bound.budget.usd) * USD,
      `${exactUsd(asPicodollars(spent + held))} of ${bound.budget.usd}`,
    )
  }
  if (bound?.rpm === undefined) return
  for (const { at } of model.of(scope)) {
    const minute = model.of(scope).filter((call) => call.at >= at && call.at < at + 60_000)
    assert.ok(minute.length <= bound.rpm)
  }
}

test('verifying finds every wrong counter and nothing else', async () => {
  const model = new Reference()
  const payer = { key: { id: 'a', limits: null }, workspace: { name: 'first', limits: null } }
  for (const hold of [5n, 7n]) take(model, { do: 'admit', key: 'a', hold, tokens: 10 })
  take(model, { do: 'settle', index: 0, percent: 100, usedPercent: 50 })
  const read = async () => model.logged()
  assert.deepEqual((await verifyLedger(model.ledger, read)).differences, [])

  model.ledger.admit(payer, { picodollars: asPicodollars(3n), tokens: 4 }, 'r')
  const { differences, busy } = await verifyLedger(model.ledger, read)
  const found = differences
    .filter(({ scope }) => scope.kind === 'key')
    .map(({ counter, ledger, log }) => [counter, ledger, log])
  assert.deepEqual(busy, [])
  assert.deepEqual(found, [
    ...PERIODS.map((period) => [`${period}.held`, 10n, 7n]),
    ['requests_last_minute', 3, 2],
    ['tokens_last_minute', 19, 15],
    ['in_flight', 2, 1],
  ])
})

test('verifying a busy ledger bounds its money by the log', async () => {
  const model = new Reference()
  const spend = () => {
    take(model, { do: 'admit', key: 'a', hold: 5n, tokens: 1 })
    take(model, { do: 'settle', index: model.calls.length - 1, percent: 100, usedPercent: 100 })
  }
  const clean = await verifyLedger(model.ledger, async () => {
    spend()
    const logged = model.logged()
    spend()
    return logged
  })
  assert.deepEqual([clean.differences, clean.busy.length], [[], 2])
  const lost = await verifyLedger(model.ledger, async () => {
    spend()
    return []
  })
  assert.equal(lost.differences.length, 8)
})
