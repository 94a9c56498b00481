import assert from 'node:assert/strict'
import { test } from 'node:test'
import { uptime } from './uptime.ts'

for (const [seconds, words] of [
  [0, '0 s'],
  [59, '59 s'],
  [60, '1 min'],
  [725, '12 min 5 s'],
  [3_605, '1 h'],
  [273_600, '3 d 4 h'],
] as const) {
  test(`${seconds} seconds are ${words}`, () => assert.equal(uptime(seconds), words))
}
