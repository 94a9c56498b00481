import assert from 'node:assert/strict'
import { test } from 'node:test'
import { guardrailForm, guardrailOf, isGuardrailWhole } from './guardrail-form.ts'

const guardrail = {
  url: 'https://guardrail.internal/check',
  before: false,
  after: true,
  timeout_ms: 500,
  on_failure: 'open' as const,
}

test('what a form says is what it was made from', () => {
  assert.deepEqual(guardrailOf(guardrailForm(guardrail)), guardrail)
  assert.equal(guardrailOf(guardrailForm(null)), null)
  assert.equal(guardrailOf({ ...guardrailForm(guardrail), isOn: false }), null)
})

test('a new one has the defaults of the gateway', () => {
  assert.deepEqual(guardrailOf({ ...guardrailForm(null), isOn: true, url: ' https://a.example ' }), {
    url: 'https://a.example',
    before: true,
    after: false,
    timeout_ms: 2_000,
    on_failure: 'closed',
  })
})

test('it has an address, a timeout and something to check, or is off', () => {
  const form = guardrailForm(guardrail)
  assert.equal(isGuardrailWhole(form), true)
  for (const lack of [{ url: ' ' }, { after: false }, { timeoutMs: '' }]) {
    assert.equal(isGuardrailWhole({ ...form, ...lack }), false, JSON.stringify(lack))
    assert.equal(isGuardrailWhole({ ...form, ...lack, isOn: false }), true)
  }
})
