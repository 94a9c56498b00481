import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drawOf, type MemberState, orderMembers, positionReason } from './balance.ts'

const FINE: MemberState = { weight: 1, isUnavailable: false, running: 0, latencyMs: null, draw: 0.5 }

function member(more: Partial<MemberState> = {}): MemberState {
  return { ...FINE, ...more }
}

/** A generator with a seed (mulberry32): the same draws in every run. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Within five standard deviations of what a share predicts. */
function assertShare(count: number, share: number, draws: number): void {
  const deviation = Math.sqrt(draws * share * (1 - share))
  assert.ok(Math.abs(count - draws * share) <= 5 * deviation, `${count} of ${draws}, share ${share}`)
}

function firsts(draws: number, order: (draw: number) => number[], members: number): number[] {
  const counts = Array.from({ length: members }, () => 0)
  for (let draw = 0; draw < draws; draw += 1) {
    const [first = 0] = order(draw)
    counts[first] = (counts[first] ?? 0) + 1
  }
  return counts
}

const WEIGHTS = [5, 3, 1, 1]
const NAMES = ['a/m', 'b/m', 'c/m', 'd/m']

function bySession(session: string, away: readonly number[] = []): number[] {
  const states = WEIGHTS.map((weight, place) =>
    member({ weight, isUnavailable: away.includes(place), draw: drawOf(session, NAMES[place] ?? '') }),
  )
  return orderMembers('weighted', states, true)
}

describe('the order of a group', () => {
  test('by weight: each is first as often as its share says, whatever the seed', () => {
    for (const seed of [1, 2, 3]) {
      const random = seeded(seed)
      const order = () =>
        orderMembers(
          'weighted',
          WEIGHTS.map((weight) => member({ weight, draw: random() })),
          false,
        )
      const counts = firsts(20_000, order, WEIGHTS.length)
      for (const [place, weight] of WEIGHTS.entries()) assertShare(counts[place] ?? 0, weight / 10, 20_000)
    }
  })

  test('by session: the same shares, and every session always at the same member', () => {
    const counts = firsts(20_000, (draw) => bySession(`session ${draw}`), WEIGHTS.length)
    for (const [place, weight] of WEIGHTS.entries()) assertShare(counts[place] ?? 0, weight / 10, 20_000)
    for (let draw = 0; draw < 100; draw += 1) assert.deepEqual(bySession(`s${draw}`), bySession(`s${draw}`))
  })

  test('a member that is away moves its own sessions only, in shares of the others, and they come back', () => {
    const moved = [0, 0, 0, 0]
    for (let draw = 0; draw < 20_000; draw += 1) {
      const session = `session ${draw}`
      const [before = 0] = bySession(session)
      const after = bySession(session, [1])
      assert.equal(after.at(-1), 1)
      if (before !== 1) assert.equal(after[0], before)
      else moved[after[0] ?? 0] = (moved[after[0] ?? 0] ?? 0) + 1
    }
    const all = moved.reduce((sum, count) => sum + count, 0)
    for (const [place, share] of [
      [0, 5 / 7],
      [2, 1 / 7],
      [3, 1 / 7],
    ] as const) {
      assertShare(moved[place] ?? 0, share, all)
    }
  })

  for (const [what, balance, states, isPinned, order] of [
    ['the idle one', 'least_busy', [member({ running: 2 }), member({ running: 1 }), member()], false, [2, 1, 0]],
    [
      'of two idle ones the heavier',
      'least_busy',
      [member({ running: 1 }), member(), member({ weight: 2 })],
      false,
      [2, 1, 0],
    ],
    ['the fast one', 'fastest', [member({ latencyMs: 900 }), member({ latencyMs: 80 })], false, [1, 0]],
    ['one that nobody has asked of late', 'fastest', [member({ latencyMs: 80 }), member()], false, [1, 0]],
    [
      'not one that is being asked just now',
      'fastest',
      [member({ latencyMs: 80 }), member({ running: 1 })],
      false,
      [0, 1],
    ],
    [
      'nobody who is away',
      'fastest',
      [member({ latencyMs: 1, isUnavailable: true }), member({ latencyMs: 80 })],
      false,
      [1, 0],
    ],
    ['nobody without weight', 'least_busy', [member({ weight: 0 }), member({ running: 9 })], false, [1, 0]],
    [
      'without weight before away',
      'weighted',
      [member({ isUnavailable: true }), member({ weight: 0 }), member()],
      false,
      [2, 1, 0],
    ],
    ['as written where all are the same', 'weighted', [member(), member(), member()], false, [0, 1, 2]],
    [
      "the session's, however busy it is",
      'least_busy',
      [member({ running: 9, draw: 0.9 }), member({ draw: 0.1 })],
      true,
      [0, 1],
    ],
  ] as const) {
    test(`first comes ${what}`, () => assert.deepEqual(orderMembers(balance, states, isPinned), order))
  }

  test('is told in words', () => {
    assert.match(positionReason('weighted', member({ weight: 3 }), 4, false), /weight 3 of 4/)
    assert.match(positionReason('least_busy', member({ running: 2 }), 4, false), /2 running/)
    assert.match(positionReason('fastest', member({ latencyMs: 80.4 }), 4, false), /80 ms/)
    assert.match(positionReason('fastest', member(), 4, false), /no recent measurement/)
    assert.match(positionReason('fastest', member(), 4, true), /by the session/)
    assert.match(positionReason('fastest', member({ isUnavailable: true }), 4, true), /comes last/)
  })
})
