import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Reference, take } from '../../test/limits/ledger-reference.ts'
import { PERIODS } from '../domain/budgets/budget-period.ts'
import { asPicodollars } from '../domain/pricing/price.ts'
import { verifyLedger } from './verify-ledger.ts'

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
