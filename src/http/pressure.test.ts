import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { MOST_IN_A_BURST, MOST_WHEN_BUSY, Pressure, watchPressure } from './pressure.ts'

interface Stretch {
  ms: number
  /** Share of the time in which the loop works. */
  busy: number
  /** How long one turn takes: the loop is looked at only between turns. */
  turnMs?: number
}

const idle = { ms: 2_000, busy: 0 }
const half = { ms: 2_000, busy: 0.5 }
const most = { ms: 2_000, busy: 0.8 }
const all = { ms: 5_000, busy: 1 }
const slowMoments = Array.from({ length: 20 }, () => [
  { ms: 100, busy: 1 },
  { ms: 400, busy: 0.8 },
]).flat()

/** With a patience of 500 ms. */
const CASES: [limit: number, title: string, stretches: Stretch[]][] = [
  [MOST_IN_A_BURST, 'at the start', []],
  [MOST_IN_A_BURST, 'while the loop waits now and then', [{ ms: 5_000, busy: 0.9 }]],
  [MOST_IN_A_BURST, 'for one turn of seconds', [most, { ms: 3_000, busy: 1, turnMs: 3_000 }]],
  [MOST_IN_A_BURST, 'for a burst', [most, { ms: 200, busy: 1 }]],
  [MOST_IN_A_BURST, 'for slow moments with time between them', slowMoments],
  [MOST_IN_A_BURST, 'not yet within half a second', [half, { ms: 460, busy: 1 }]],
  [MOST_WHEN_BUSY, 'half a second after the last pause', [half, { ms: 520, busy: 1 }]],
  [MOST_WHEN_BUSY, 'a little later when it was idle before', [idle, { ms: 700, busy: 1 }]],
  [MOST_WHEN_BUSY, 'in long turns too', [half, { ms: 900, busy: 1, turnMs: 300 }]],
  [MOST_WHEN_BUSY, 'as long as it lasts', [{ ms: 60_000, busy: 1 }]],
  [MOST_WHEN_BUSY, 'though the callers stumble for a moment', [all, { ms: 20, busy: 0.6 }]],
  [MOST_IN_A_BURST, 'as soon as the loop waits again', [all, { ms: 20, busy: 0.4 }]],
]

describe('how many calls a turn takes', () => {
  for (const [limit, title, stretches] of CASES) {
    test(`${limit} ${title}`, () => {
      const pressure = new Pressure(500)
      for (const { ms, busy, turnMs = 20 } of stretches) {
        for (let passed = 0; passed < ms; passed += turnMs) pressure.observe(turnMs * busy, turnMs * (1 - busy))
      }
      assert.equal(pressure.callsPerTurn, limit)
    })
  }

  test('nothing passed, nothing learned', () => {
    const pressure = new Pressure(500)
    pressure.observe(0, 0)
    pressure.observe(5_000, 0)
    assert.equal(pressure.callsPerTurn, MOST_IN_A_BURST)
  })
})

test('the calls of one turn are counted, and the next turn begins anew', async () => {
  const isTaken = watchPressure(500)
  for (let turn = 0; turn < 3; turn++) {
    const taken = Array.from({ length: MOST_IN_A_BURST + 10 }, isTaken)
    assert.equal(taken.indexOf(false), MOST_IN_A_BURST)
    assert.ok(!taken.slice(MOST_IN_A_BURST).includes(true))
    await nextTurn()
  }
})
