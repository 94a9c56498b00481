import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Slot } from './slot.ts'
import { SlotBook } from './slot-book.ts'

function slotAt(at: number): Slot {
  return new SlotBook().ensure({ kind: 'key', id: 'a' }, at)
}

function slotOf(...calls: [at: number, tokens: number][]): Slot {
  const slot = slotAt(calls[0]?.[0] ?? 0)
  for (const [at, tokens] of calls) {
    slot.advance(at)
    slot.hold(at, null, tokens)
  }
  return slot
}

describe('the minute', () => {
  test('keeps a call for a full minute after its second, wherever in the second it was', () => {
    for (const at of [5_000, 5_001, 5_999]) {
      const slot = slotOf([at, 7])
      slot.advance(at + 60_000)
      assert.equal(slot.used('requests'), 1, String(at))
      slot.advance(5_999 + 60_000)
      assert.equal(slot.used('tokens'), 7)
      slot.advance(66_000)
      assert.deepEqual([slot.used('requests'), slot.used('tokens'), slot.emptyIn('requests')], [0, 0, 0])
    }
  })

  test('never keeps more than 61 seconds, however many calls there are', () => {
    const slot = slotAt(0)
    for (let at = 0; at < 300_000; at += 250) {
      slot.advance(at)
      slot.hold(at, null, 1)
    }
    assert.deepEqual([slot.used('requests'), slot.used('tokens')], [244, 244])
    assert.equal(slot.waitUntilAtMost('requests', 243), 300_000 - 299_750)
  })

  test('a slot is never moved back', () => {
    const slot = slotOf([90_000, 1])
    slot.advance(20_000)
    assert.deepEqual([slot.moment, slot.used('requests')], [90_000, 1])
  })
})

describe('the wait', () => {
  const slot = slotOf([1_500, 10], [2_500, 20], [40_000, 30])
  slot.advance(41_000)
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
      assert.equal(slot.waitUntilAtMost(kind, most), waitMs))
  }
  test('until all is free again is that of the newest second', () => assert.equal(slot.emptyIn('tokens'), 60_000))
  test('until all is free again passes over seconds that hold nothing of the kind', () => {
    const own = slotOf([1_500, 10], [2_500, 0])
    own.advance(3_000)
    assert.equal(own.emptyIn('tokens'), 62_000 - 3_000)
    assert.equal(own.emptyIn('requests'), 63_000 - 3_000)
    assert.equal(slotAt(3_000).emptyIn('requests'), 0)
  })
  test('is over exactly when it says', () => {
    const own = slotOf([1_500, 10], [2_500, 20])
    own.advance(3_000)
    const wait = own.waitUntilAtMost('requests', 1) ?? 0
    own.advance(3_000 + wait - 1)
    assert.equal(own.used('requests'), 2)
    own.advance(3_000 + wait)
    assert.equal(own.used('requests'), 1)
  })
})
