import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { CALLS_A_TURN, CallQueue, queueCalls, YOUNG_CALLS } from './call-queue.ts'

const PATIENCE_MS = 500

/** Calls that come over a time, evenly. */
interface Stretch {
  ms: number
  perMs: number
}

interface World {
  stretches: Stretch[]
  /** Of the call with this number; default: a tenth of a millisecond. */
  costMs?(call: number): number
  /** Time in which the process does nothing, at this moment. */
  stallMs?(now: number): number
  /** No more than these are in progress; the others wait outside. */
  connections?: number
  /** Has it served before? */
  isYoung?: boolean
}

interface Fate {
  came: number
  served: number
  refused: number
  slowestMs: number
}

const TURN_MS = 0.03
const REFUSAL_MS = 0.011
/** After this many turns a call is answered. */
const TURNS_A_CALL = 3

/** An event loop in which a call costs time and nothing else does; what became of the calls of each stretch. */
function run(world: World): Fate[] {
  const { costMs = () => 0.1, stallMs = () => 0, connections = Number.POSITIVE_INFINITY } = world
  const queue = new CallQueue<Came>(PATIENCE_MS)
  if (world.isYoung !== true) makeOld(queue)
  const outside = comers(world.stretches)
  const fates = world.stretches.map((): Fate => ({ came: 0, served: 0, refused: 0, slowestMs: 0 }))
  const fateOf = ({ stretch }: Came) => fates[stretch] ?? assert.fail()
  const underWay: Came[][] = Array.from({ length: TURNS_A_CALL }, () => [])
  let now = 0
  let open = 0
  let begun = 0
  const begin = (call: Came) => {
    now += costMs(begun++)
    underWay[0]?.push(call)
  }
  for (;;) {
    for (const call of underWay.pop() ?? []) {
      open -= 1
      fateOf(call).served += 1
      fateOf(call).slowestMs = Math.max(fateOf(call).slowestMs, now - call.due)
    }
    underWay.unshift([])
    const readAt = now
    for (; open < connections && (outside.next?.due ?? Number.POSITIVE_INFINITY) <= readAt; outside.advance()) {
      const call = outside.next ?? assert.fail()
      fateOf(call).came += 1
      open += 1
      if (queue.takes()) begin(call)
      else queue.wait(call, now)
    }
    const turn = queue.nextTurn(now)
    for (const call of turn.begun) begin(call)
    for (const call of turn.refused) {
      now += REFUSAL_MS
      open -= 1
      fateOf(call).refused += 1
    }
    now += TURN_MS + stallMs(now)
    if (open > 0) continue
    if (outside.next === null) return fates
    now = Math.max(now, outside.next.due)
  }
}

interface Came {
  due: number
  stretch: number
}

function comers(stretches: readonly Stretch[]) {
  const all: Came[] = []
  let from = 0
  for (const [stretch, { ms, perMs }] of stretches.entries()) {
    for (let index = 0; index < ms * perMs; index++) all.push({ due: from + index / perMs, stretch })
    from += ms
  }
  let place = 0
  return {
    get next(): Came | null {
      return all[place] ?? null
    },
    advance: () => void place++,
  }
}

function makeOld(queue: CallQueue<Came>): void {
  for (let call = 0; call < YOUNG_CALLS; call++) {
    if (!queue.takes()) assert.fail()
    queue.nextTurn(0)
  }
}

function every(periodMs: number, ms: number): (now: number) => number {
  let last = 0
  return (now) => {
    if (now - last < periodMs) return 0
    last = now + ms
    return ms
  }
}

/** By the cost of a tenth of a millisecond it can do 10 in each. */
const HALF = { ms: 3_000, perMs: 5 }
const MOST = { ms: 3_000, perMs: 8 }
const TWICE = { ms: 6_000, perMs: 20 }
const cold = (call: number) => (call < 500 ? 0.6 : call < 3_000 ? 0.25 : 0.1)

const SERVED: Record<string, World> = {
  'half of what can be done': { stretches: [HALF] },
  'most of what can be done': { stretches: [MOST] },
  '2,000 calls in one turn': { stretches: [{ ms: 0.001, perMs: 2_000_000 }, HALF] },
  '2,000 in one turn while each takes six times as long': {
    stretches: [
      { ms: 0.001, perMs: 2_000_000 },
      { ms: 3_000, perMs: 0.5 },
    ],
    costMs: () => 0.6,
  },
  '10,000 in one turn, and half of what can be done after it': {
    stretches: [{ ms: 0.001, perMs: 10_000_000 }, HALF],
  },
  'a few calls in a process that has long turns at its start': {
    stretches: [{ ms: 3_000, perMs: 0.2 }],
    stallMs: every(150, 120),
    isYoung: true,
  },
  'half of what can be done, in a process whose first calls are dear': {
    stretches: [HALF],
    costMs: cold,
    connections: 2_000,
    isYoung: true,
  },
  'one turn of seconds': { stretches: [HALF], stallMs: every(2_000, 3_000) },
  'a tenth of a second every second and a half in which nothing runs': {
    stretches: [MOST],
    stallMs: every(1_500, 100),
  },
  'a third of the time taken by others, at half of what can be done': { stretches: [HALF], stallMs: every(300, 100) },
}

describe('nothing is turned away', () => {
  for (const [title, world] of Object.entries(SERVED)) {
    test(title, () => {
      for (const { came, served, refused } of run(world)) assert.deepEqual([served, refused], [came, 0])
    })
  }
})

describe('twice as much as can be done', () => {
  for (const [title, more] of Object.entries<Partial<World>>({
    'over 2,000 connections': { connections: 2_000 },
    'over any number of them': {},
    'in a machine that stands still now and then': { connections: 2_000, stallMs: every(1_500, 100) },
  })) {
    test(`${title}: what cannot be done is turned away, what is taken is quick, and nothing is once it is over`, () => {
      const [before, during, after] = run({ stretches: [HALF, TWICE, { ms: 500, perMs: 5 }, HALF], ...more })
        .map((fate) => ({ ...fate, share: fate.served / fate.came }))
        .filter((_, index) => index !== 2)
      assert.deepEqual([before?.share, after?.share], [1, 1])
      assert.ok(during !== undefined && during.share > 0.4 && during.share < 0.6, `${during?.share}`)
      assert.ok(during.slowestMs < 2 * PATIENCE_MS, `${during.slowestMs}`)
    })
  }

  test('from the first call of a process on: it is noticed too', () => {
    const [fate] = run({ stretches: [TWICE], costMs: cold, connections: 2_000, isYoung: true })
    assert.ok(fate !== undefined && fate.refused > fate.came / 4, `${fate?.refused}`)
  })
})

test('a turn begins so many, the oldest first, and the others wait for the next', () => {
  const queue = new CallQueue<number>(PATIENCE_MS)
  const calls = Array.from({ length: 2 * CALLS_A_TURN + 1 }, (_, call) => call)
  const atOnce = calls.filter((call) => {
    const isTaken = queue.takes()
    if (!isTaken) queue.wait(call, 0)
    return isTaken
  })
  assert.deepEqual(atOnce, calls.slice(0, CALLS_A_TURN))
  assert.deepEqual(queue.nextTurn(1), { begun: calls.slice(CALLS_A_TURN, -1), refused: [] })
  assert.equal(queue.takes(), false, 'nobody passes who came earlier')
  queue.wait(-1, 1)
  assert.deepEqual(queue.nextTurn(2).begun, [2 * CALLS_A_TURN, -1])
  assert.equal(queue.takes(), true)
})

test('calls that come in one turn of the event loop begin in several', async () => {
  const enter = queueCalls(PATIENCE_MS)
  let begun = 0
  for (let call = 0; call < 3 * CALLS_A_TURN; call++) enter((isTaken) => (begun += Number(isTaken)))
  const seen = [begun]
  while (begun < 3 * CALLS_A_TURN) {
    await nextTurn()
    seen.push(begun)
  }
  assert.deepEqual(
    seen,
    [1, 2, 3].map((turns) => turns * CALLS_A_TURN),
  )
})
