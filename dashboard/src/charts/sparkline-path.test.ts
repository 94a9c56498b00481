import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sparklinePath } from './sparkline-path.ts'

test('the highest value touches the top, nothing the bottom', () => {
  assert.equal(sparklinePath([0, 10, 5], 100, 22).line, 'M0 21L50 1L100 11')
})

test('the area is closed along the bottom', () => {
  assert.equal(sparklinePath([0, 10], 100, 22).area, 'M0 21L100 1L100 22L0 22Z')
})

test('gaps are bridged', () => {
  assert.equal(sparklinePath([10, null, 10], 100, 22).line, 'M0 1L100 1')
})

test('nothing at all is a line along the bottom, a single point no line', () => {
  assert.equal(sparklinePath([0, 0], 100, 22).line, 'M0 21L100 21')
  assert.equal(sparklinePath([5], 100, 22).line, '')
  assert.equal(sparklinePath([null, null], 100, 22).line, '')
})
