import assert from 'node:assert/strict'
import { test } from 'node:test'
import { planSummary, valueText } from './plan-words.ts'

test('a plan is summed up in one line', () => {
  const changes = [{ kind: 'delete' }, { kind: 'create' }, { kind: 'create' }, { kind: 'take_over' }] as const
  assert.equal(planSummary(changes, 12), '2 create, 1 delete, 1 take over; 12 already match.')
  assert.equal(planSummary([], 1), 'Nothing would change: 1 already matches.')
})

test('a value is shown as it is written, nothing as a dash', () => {
  assert.deepEqual(
    [valueText('a b'), valueText({ rpm: 1 }), valueText(null), valueText(0)],
    ['a b', '{"rpm":1}', '–', '0'],
  )
})
