import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stepPath } from './price-steps.ts'

test('a price holds until the next one, the last until now', () => {
  const points = [
    { at: 0, price: 10 },
    { at: 50, price: 5 },
  ]
  assert.equal(stepPath(points, 0, 100, 10), 'M0 4 L500 4 L500 51 L1000 51')
})

test('an unknown price breaks the line', () => {
  const points = [
    { at: 0, price: 10 },
    { at: 20, price: null },
    { at: 50, price: 10 },
  ]
  assert.equal(stepPath(points, 0, 100, 10), 'M0 4 L200 4 M500 4 L1000 4')
})

test('what is free lies at the bottom', () => {
  assert.equal(stepPath([{ at: 0, price: 0 }], 0, 100, 0), 'M0 98 L1000 98')
})
