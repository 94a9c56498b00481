import assert from 'node:assert/strict'
import { test } from 'node:test'
import { admissionText, measureAdmission } from './admission.ts'

test('what a call pays for its limits is measured and reported', () => {
  const cost = measureAdmission(500)
  assert.ok(cost.ledger > 0 && cost.translation > 0)
  assert.match(admissionText(cost), /Limits, in CPU a call: -?[\d.]+ µs/)
})
