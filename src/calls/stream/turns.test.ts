import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { LiveStream } from './live-stream.ts'
import { BYTES_A_TURN, Turns } from './turns.ts'

/** Runs the next turn on demand. */
function byHand() {
  const scheduled: (() => void)[] = []
  const turns = new Turns((turn) => scheduled.push(turn))
  const begun: string[] = []
  const wait = (name: string, bytes: number) => {
    const waiting = turns.wait(bytes)
    if (waiting === null) begun.push(name)
    else void waiting.then(() => begun.push(name))
  }
  const nextTurn = async () => {
    begun.push('|')
    scheduled.shift()?.()
    await Promise.resolve()
  }
  return { wait, nextTurn, begun, scheduled }
}

describe('what streams do in one turn is bounded', () => {
  test('as long as it fits, nothing is scheduled', () => {
    const { wait, begun, scheduled } = byHand()
    for (const name of ['a', 'b', 'c', 'd']) wait(name, BYTES_A_TURN / 4)
    assert.deepEqual([begun.join(''), scheduled.length], ['abcd', 0])
  })

  test('what does not fit waits for its turn, in order, behind those who wait already', async () => {
    const { wait, nextTurn, begun, scheduled } = byHand()
    wait('a', BYTES_A_TURN)
    for (const name of ['b', 'c', 'd', 'e', 'f']) wait(name, BYTES_A_TURN / 2)
    assert.equal(scheduled.length, 1)
    await nextTurn()
    wait('g', 1)
    await nextTurn()
    await nextTurn()
    wait('h', 1)
    assert.equal(begun.join(''), 'a|bc|de|fgh')
    assert.equal(scheduled.length, 0)
  })
})

test('streams that never pause leave the event loop to others', async () => {
  const bytes = Buffer.from(
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'x'.repeat(999) } }] })}\n\n`,
  )
  let handled = 0
  const streams = [1, 2, 3].map(() => {
    let pieces = 0
    const head = { kind: 'answer', status: 200, headers: new Map<string, string>(), isFullyWritten: true } as const
    const next = async () => (pieces++ < 2_000 ? ({ kind: 'piece', bytes } as const) : ({ kind: 'end' } as const))
    const reader = {
      ...{ usage: null, hiddenBytes: 0, isFinished: true },
      read: () => [{ type: 'text-delta', text: 'x' } as const],
      end: () => [{ type: 'message-end', finishReason: 'stop', warning: null } as const],
    }
    return new LiveStream({ ...head, next, limitSilence: () => {}, abort: () => {} }, reader)
  })
  const pumped = streams.map(async (stream) => {
    for (let isEnded = false; !isEnded; ) {
      const read = await stream.next()
      isEnded = read.kind !== 'parts' || read.parts.at(-1)?.type === 'message-end'
      handled += bytes.length
    }
  })
  let turns = 0
  const others = async () => {
    for (let before = 0; ; before = handled) {
      await new Promise(setImmediate)
      if (handled === before) return
      turns += 1
      // Waiting pieces begin within a turn's bound, the last of them may exceed it.
      assert.ok(handled - before <= 2 * (BYTES_A_TURN + bytes.length), String(handled - before))
    }
  }
  await Promise.all([...pumped, others()])
  assert.ok(turns >= Math.floor(handled / (2 * (BYTES_A_TURN + bytes.length))), String(turns))
})
