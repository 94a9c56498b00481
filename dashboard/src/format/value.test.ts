import assert from 'node:assert/strict'
import { test } from 'node:test'
import { valueText } from './value.ts'

test('values in one line', () => {
  assert.deepEqual([null, [], ['a', 1], {}, { a: 1 }, false, 0, ''].map(valueText), [
    'none',
    'none',
    'a, 1',
    'none',
    '{"a":1}',
    'false',
    '0',
    '',
  ])
})
