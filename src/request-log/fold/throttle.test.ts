import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createThrottle } from './throttle.ts'

/** Steps that take so long each, in milliseconds; after which of them it rested. */
function restsAfter(steps: readonly number[]): number[] {
  let clock = 1_000
  let step = 0
  const rests: number[] = []
  const throttle = createThrottle(
    () => clock,
    (milliseconds) => {
      rests.push(step)
      clock += milliseconds
    },
  )
  for (const took of steps) {
    clock += took
    step += 1
    throttle()
  }
  return rests
}

test('work is cut into portions of a tenth of a millisecond, with a rest after each', () => {
  assert.deepEqual(restsAfter(Array(12).fill(0.03125)), [4, 8, 12])
  assert.deepEqual(restsAfter([0.02, 3, 0.03, 0.03, 0.05]), [2, 5])
})

test('what begins anew after a while does not begin with a rest', () => {
  assert.deepEqual(restsAfter([0.02, 1_000, 0.08, 0.03]), [4])
})
