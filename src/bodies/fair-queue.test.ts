import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FairQueue } from './fair-queue.ts'

function drained(queue: FairQueue<string>): string {
  const taken: string[] = []
  for (let item = queue.take(); item !== null; item = queue.take()) taken.push(item)
  return taken.join(' ')
}

function queueOf(...items: string[]): FairQueue<string> {
  const queue = new FairQueue<string>()
  for (const item of items) queue.add(item.charAt(0), item)
  return queue
}

test('owners take turns, and each keeps its own order', () => {
  assert.equal(drained(queueOf('a1', 'a2', 'a3', 'b1', 'b2', 'c1')), 'a1 b1 c1 a2 b2 a3')
})

test('whoever comes while others have many waits for no second one of theirs', () => {
  const queue = queueOf('a1', 'a2', 'a3')
  assert.equal(queue.take(), 'a1')
  queue.add('b', 'b1')
  assert.equal(drained(queue), 'b1 a2 a3')
})

test('an owner alone is served without a pause', () => {
  const queue = queueOf('a1', 'a2')
  assert.equal(queue.size, 2)
  assert.equal(drained(queue), 'a1 a2')
  assert.deepEqual([queue.size, queue.take()], [0, null])
})
