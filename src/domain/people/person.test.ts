import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plainEmail } from './person.ts'

test('addresses compare by the case of ASCII letters alone', () => {
  assert.equal(plainEmail(' Kim@Example.COM '), 'kim@example.com')
  // The Kelvin sign, whose lower case in Unicode is k; and the dotted capital I.
  assert.notEqual(plainEmail('\u212aim@example.com'), plainEmail('kim@example.com'))
  assert.equal(plainEmail('\u0130@example.com'), '\u0130@example.com')
})
