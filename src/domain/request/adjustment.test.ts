import assert from 'node:assert/strict'
import { test } from 'node:test'
import { adjustmentsText } from './adjustment.ts'

test('each adjustment is a field, its value and its reason', () => {
  const text = adjustmentsText([
    { field: 'max_tokens', value: 800, reason: 'fitted_to_budget' },
    { field: 'max_completion_tokens', value: null, reason: 'renamed', from: 'max_tokens' },
    { field: 'service_tier', value: 'default', reason: 'pinned' },
  ])
  const renamed = 'max_completion_tokens;renamed;from=max_tokens'
  assert.equal(text, `max_tokens=800;fitted_to_budget, ${renamed}, service_tier=default;pinned`)
})
