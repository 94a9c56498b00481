import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as gateway from '../../../../src/domain/limits.ts'
import { DEFAULT_FIT_AT_LEAST, type Limits, limitsForm, limitsOf, limitsProblems, typedAmount } from './limits-form.ts'

describe('limits survive the form', () => {
  for (const limits of [
    null,
    { rpm: 600 },
    { tpm: 2_000_000, max_parallel: 8 },
    { rpm: 1, budget: { usd: '0.000000000001', per: 'total', mode: 'soft' } },
    { max_output_tokens: 2000 },
    { unconfirmed: 'estimate' },
    { budget: { usd: '5', per: 'day', mode: 'hard', when_tight: 'fit' } },
    { budget: { usd: '5', per: 'day', mode: 'hard', when_tight: 'fit', fit_at_least: 1000 } },
    { budget: { usd: '5', per: 'day', mode: 'hard', when_tight: 'step_down', step_down_to: 'cheap', warn_at: 80 } },
    {
      budgets: [{ each: 'session', usd: '2', per: 'total', mode: 'hard', when_tight: 'step_down', step_down_to: 'x' }],
    },
    {
      budgets: [
        { each: 'tag:team', usd: '2', per: 'month', mode: 'soft', warn_at: 50 },
        { usd: '1', per: 'day', mode: 'hard' },
      ],
    },
    { budgets: [{ each: 'agent', usd: '2', per: 'day', mode: 'hard', when_tight: 'fit', fit_at_least: 9 }] },
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

test('a budget that becomes soft, or refuses again, has nothing to fit', () => {
  const budget = { usd: '5', per: 'day', mode: 'hard', when_tight: 'fit', fit_at_least: 1000 } as const
  const form = limitsForm({ budget })
  assert.deepEqual(limitsOf({ ...form, mode: 'soft' }), { budget: { usd: '5', per: 'day', mode: 'soft' } })
  assert.deepEqual(limitsOf({ ...form, whenTight: 'refuse' }), { budget: { usd: '5', per: 'day', mode: 'hard' } })
  assert.deepEqual(Object.keys(limitsProblems({ ...form, fit_at_least: '0' })), ['fit_at_least'])
  assert.deepEqual(limitsProblems({ ...form, fit_at_least: '0', mode: 'soft' }), {})
})

test('the floor is that of the gateway', () => assert.equal(DEFAULT_FIT_AT_LEAST, gateway.DEFAULT_FIT_AT_LEAST))

test('an amount is understood as people write it', () => assert.equal(typedAmount(' $1,250.50 '), '1250.50'))
