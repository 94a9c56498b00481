import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compare, Reference, SCOPES, take } from '../../test/limits/ledger-reference.ts'
import { limits, step, USD } from '../../test/limits/ledger-steps.ts'
import { fc } from '../../test/property.ts'
import { asPicodollars, exactUsd } from '../domain/pricing/price.ts'
import { PERIODS } from './budget-period.ts'
import type { Scope } from './ledger.ts'
import { verifyLedger } from './verify-ledger.ts'

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
