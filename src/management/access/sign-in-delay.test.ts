import assert from 'node:assert/strict'
import { test } from 'node:test'
import { afterFailure, delayMs, type Failures, NO_FAILURES } from './sign-in-delay.ts'

/** The delays of wrong keys that come at these minutes. */
function delaysAt(...minutes: number[]): number[] {
  let failures: Failures = NO_FAILURES
  return minutes.map((minute) => {
    failures = afterFailure(failures, minute * 60_000)
    return delayMs(failures)
  })
}

test('each wrong key doubles the delay, up to five seconds', () => {
  assert.deepEqual(delaysAt(9, 9, 9, 9, 9, 9, 9), [250, 500, 1_000, 2_000, 4_000, 5_000, 5_000])
})

test('they are forgotten when none came for five minutes', () => {
  assert.deepEqual(delaysAt(9, 13.9, 18.8, 23.8, 24), [250, 500, 1_000, 250, 500])
})

test('there is no delay before the first, however many there are, it stays a number', () => {
  assert.equal(delayMs(NO_FAILURES), 0)
  assert.equal(delayMs({ count: 1e9, lastAt: 0 }), 5_000)
})
