import assert from 'node:assert/strict'
import { test } from 'node:test'
import { localInput, momentOf } from './local-input.ts'

test('a moment survives the input, to the minute, on both sides of a change of clocks', () => {
  for (const at of ['2026-11-18T18:00:00.000Z', '2026-03-29T00:30:00.000Z', '2026-07-01T23:59:00.000Z']) {
    assert.match(localInput(at), /^\d{4}-\d\d-\d\dT\d\d:\d\d$/)
    assert.equal(momentOf(localInput(at)), at)
  }
})

test('nothing, and what is no date, is no moment', () => {
  assert.equal(momentOf(''), null)
  assert.equal(momentOf('2026-02-'), null)
})
