import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Limits, limitsForm, limitsOf, limitsProblems, typedAmount } from './limits-form.ts'

describe('limits survive the form', () => {
  for (const limits of [
    null,
    { rpm: 600 },
    { tpm: 2_000_000, max_parallel: 8 },
    { rpm: 1, budget: { usd: '0.000000000001', per: 'total', mode: 'soft' } },
  ] satisfies (Limits | null)[]) {
    test(JSON.stringify(limits), () => assert.deepEqual(limitsOf(limitsForm(limits)), limits))
  }
})

test('an emptied field takes the limit away', () => {
  const form = limitsForm({ rpm: 600, budget: { usd: '5', per: 'day', mode: 'hard' } })
  assert.deepEqual(limitsOf({ ...form, budgetUsd: '' }), { rpm: 600 })
  assert.equal(limitsOf({ ...form, budgetUsd: '', rpm: '' }), null)
})

test('what the gateway would refuse is said at its field', () => {
  const form = limitsForm(null)
  assert.deepEqual(Object.keys(limitsProblems({ ...form, rpm: '0', tpm: '1.5', max_parallel: '8' })), ['rpm', 'tpm'])
  for (const budgetUsd of ['0', '0.00', '-1', '1e3', '5.', '1234567890']) {
    assert.deepEqual(Object.keys(limitsProblems({ ...form, budgetUsd })), ['budget'], budgetUsd)
  }
  assert.deepEqual(limitsProblems({ ...form, rpm: '1000000000', budgetUsd: '0.25' }), {})
})

test('an amount is understood as people write it', () => assert.equal(typedAmount(' $1,250.50 '), '1250.50'))
