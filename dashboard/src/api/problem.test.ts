import assert from 'node:assert/strict'
import { test } from 'node:test'
import { problemAt, problemElsewhere } from './problem.ts'

const FIELDS = ['name', 'limits.rpm', 'allowed_models']

test('the gateway’s text stands at the field it names', () => {
  const error = { message: 'limits.rpm: at least 1; omit the field to remove the limit' }
  assert.equal(problemAt(error, 'limits.rpm'), 'at least 1; omit the field to remove the limit')
  assert.equal(problemAt(error, 'name'), undefined)
  assert.equal(problemElsewhere(error, FIELDS), null)
})

test('a text about one item of a list stands at the list', () => {
  assert.equal(
    problemAt({ message: 'allowed_models[2]: a name without spaces' }, 'allowed_models'),
    'a name without spaces',
  )
})

test('a text about no field of the form is said as a whole', () => {
  const error = { message: 'The gateway does not answer. Is it running?' }
  assert.equal(problemElsewhere(error, FIELDS), error.message)
  const other = { message: 'expires_at: a time in the future' }
  assert.equal(problemElsewhere(other, FIELDS), other.message)
})
