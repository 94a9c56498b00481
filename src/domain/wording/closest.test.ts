import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closest } from './closest.ts'

const NAMES = ['fast', 'smart', 'embed', 'pro', 'fast-eu']

const TABLE: [typed: string, meant: string | null][] = [
  ['fsat', 'fast'],
  ['fas', 'fast'],
  ['FAST', 'fast'],
  ['smrat', 'smart'],
  ['embedd', 'embed'],
  ['fast_eu', 'fast-eu'],
  ['prp', 'pro'],
  // Two slips of three letters are another word.
  ['xrp', null],
  ['gpt-5', null],
  ['', null],
]

for (const [typed, meant] of TABLE) {
  test(`'${typed}' means ${meant}`, () => assert.equal(closest(typed, NAMES), meant))
}

test('the closer of two names wins, whatever their order', () => {
  assert.equal(closest('fast1', ['fasts2', 'fast']), 'fast')
  assert.equal(closest('fast1', ['fast', 'fasts2']), 'fast')
})
