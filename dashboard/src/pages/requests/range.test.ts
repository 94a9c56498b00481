import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldOf, momentOf, rangeText } from './range.ts'

// The test runs in the machine's time zone: what is typed must come back as the same moment.
test('a moment goes into the field and back without moving', () => {
  const at = '2026-11-15T06:12:03.000Z'
  assert.equal(momentOf(fieldOf(at)), at)
  assert.match(fieldOf(at), /^2026-11-1[456]T\d\d:\d\d:03$/)
})

test('nothing and nonsense are an empty field', () => {
  assert.equal(fieldOf(''), '')
  assert.equal(fieldOf('yesterday'), '')
  assert.equal(momentOf(''), null)
})

test('an open end is told as such', () => {
  assert.match(rangeText('2026-11-15T06:12:03Z', ''), /^Since Nov 1[456]/)
  assert.match(rangeText('', '2026-11-15T06:12:03Z'), /^Before Nov 1[456]/)
  assert.match(rangeText('2026-11-15T06:12:03Z', '2026-11-16T06:12:03Z'), / – /)
})
