import assert from 'node:assert/strict'
import { test } from 'node:test'
import { firstCall, firstModel } from './first-call.ts'

const catalog = [
  { id: 'small-1', kind: 'direct' },
  { id: 'fast', kind: 'alias' },
  { id: 'smart', kind: 'alias' },
] as const

test('the first call names a model that the key may use, an alias first', () => {
  assert.equal(firstModel(null, catalog), 'fast')
  assert.equal(firstModel(['smart'], catalog), 'smart')
  assert.equal(firstModel(['small-*'], catalog), 'small-1')
  assert.equal(firstModel(['newer-than-the-catalog'], catalog), 'newer-than-the-catalog')
  assert.equal(firstModel(['nothing-*'], catalog), 'MODEL')
})

test('a quote in a name does not end the command', () => {
  assert.match(firstCall('http://gateway', 'gw_live_x', "o'clock"), /"model":"o'\\''clock"/)
})
