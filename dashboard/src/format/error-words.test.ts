import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CALLER_LEFT, ERRORS, INTERRUPTED } from '../../../src/domain/errors.ts'
import { ERROR_WORDS, errorText } from './error-words.ts'

test('every code of the log has words, and each its own', () => {
  const codes = [...Object.keys(ERRORS), CALLER_LEFT.code, INTERRUPTED.code, 'hedge_lost']
  assert.deepEqual(Object.keys(ERROR_WORDS).sort(), codes.sort())
  assert.equal(new Set(Object.values(ERROR_WORDS)).size, codes.length)
})

test('a code of a later version is shown as it is', () => assert.equal(errorText('brand_new'), 'brand_new'))
