import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contentForm, contentOf } from './content-form.ts'

test('what a form says is what it was made from', () => {
  const content = {
    retention_days: 14,
    redact: ['email' as const],
    patterns: [
      { name: 'ticket', regex: 'TICKET-[0-9]+' },
      { name: 'time', regex: '\\d+:\\d+' },
    ],
  }
  assert.deepEqual(contentOf(contentForm(content)), content)
  assert.equal(contentOf(contentForm(null)), null)
  assert.deepEqual(contentOf({ ...contentForm(null), isOn: true }), {
    retention_days: 7,
    redact: ['secret', 'card'],
    patterns: [],
  })
})

test('empty lines are no patterns', () => {
  const form = { isOn: true, days: '3', redact: [], patterns: '\n a : x \n\n' }
  assert.deepEqual(contentOf(form), { retention_days: 3, redact: [], patterns: [{ name: 'a', regex: 'x' }] })
})
