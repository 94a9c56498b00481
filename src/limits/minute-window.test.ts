import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { countCall, expire, type MinuteWindow, newWindow, waitUntilAtMost, waitUntilEmpty } from './minute-window.ts'

function windowOf(...calls: [at: number, tokens: number][]): MinuteWindow {
  const window = newWindow()
  for (const [at, tokens] of calls) countCall(window, at, tokens)
  return window
}

describe('a window', () => {
  test('keeps a call for a full minute after its second, wherever in the second it was', () => {
    for (const at of [5_000, 5_001, 5_999]) {
      const window = windowOf([at, 7])
      expire(window, at + 60_000)
      assert.equal(window.requests, 1, String(at))
      expire(window, 5_999 + 60_000)
      assert.equal(window.tokens, 7)
      expire(window, 66_000)
      assert.deepEqual([window.requests, window.tokens, window.seconds], [0, 0, []])
    }
  })

  test('never keeps more than 61 seconds, however many calls there are', () => {
    const window = newWindow()
    for (let at = 0; at < 300_000; at += 250) {
      expire(window, at)
      countCall(window, at, 1)
    }
    assert.deepEqual([window.seconds.length, window.requests, window.tokens], [61, 244, 244])
  })
})

describe('the wait', () => {
  const window = windowOf([1_500, 10], [2_500, 20], [40_000, 30])
  const table: [kind: 'requests' | 'tokens', most: number, waitMs: number | null][] = [
    ['requests', 3, 0],
    ['requests', 2, 62_000 - 41_000],
    ['requests', 1, 63_000 - 41_000],
    ['requests', 0, 101_000 - 41_000],
    ['tokens', 60, 0],
    ['tokens', 59, 62_000 - 41_000],
    ['tokens', 30, 63_000 - 41_000],
    ['tokens', 29, 101_000 - 41_000],
    ['tokens', -1, null],
  ]
  for (const [kind, most, waitMs] of table) {
    test(`until at most ${most} ${kind} are left is ${waitMs} ms`, () =>
      assert.equal(waitUntilAtMost(window, kind, most, 41_000), waitMs))
  }
  test('until all is free again is that of the newest second', () =>
    assert.equal(waitUntilEmpty(window, 'tokens', 41_000), 60_000))
  test('until all is free again passes over seconds that hold nothing of the kind', () => {
    const own = windowOf([1_500, 10], [2_500, 0])
    assert.equal(waitUntilEmpty(own, 'tokens', 3_000), 62_000 - 3_000)
    assert.equal(waitUntilEmpty(own, 'requests', 3_000), 63_000 - 3_000)
    assert.equal(waitUntilEmpty(newWindow(), 'requests', 3_000), 0)
  })
  test('is over exactly when it says', () => {
    const own = windowOf([1_500, 10], [2_500, 20])
    const wait = waitUntilAtMost(own, 'requests', 1, 3_000) ?? 0
    expire(own, 3_000 + wait - 1)
    assert.equal(own.requests, 2)
    expire(own, 3_000 + wait)
    assert.equal(own.requests, 1)
  })
})
