import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { chatCompletions } from '../endpoints/chat-completions/chat-completions.ts'
import { createBodies, LARGE_BYTES, startWorker } from './bodies.ts'
import { type WorkerBounds, workersFor } from './body-workers.ts'

const BODY = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'x'.repeat(LARGE_BYTES) }] })

/** Notes in which order tasks reach workers, and how many one worker has at a time. */
function watched(t: TestContext, bounds: WorkerBounds) {
  const workers: Worker[] = []
  const seen = { tasks: 0, most: 0 }
  const start = () => {
    const worker = startWorker()
    const post = worker.postMessage.bind(worker)
    let running = 0
    worker.postMessage = (message: { kind: string }, transfer?: never) => {
      if (message.kind === 'ask') {
        seen.tasks += 1
        running += 1
        seen.most = Math.max(seen.most, running)
      }
      post(message, transfer)
    }
    worker.prependListener('message', () => (running -= 1))
    workers.push(worker)
    return worker
  }
  const bodies = createBodies((error) => assert.fail(String(error)), start, bounds)
  t.after(() => bodies.close())
  const open = async (owner: string) => {
    const options = { withHash: false, allowsStream: false, owner }
    return bodies.open([Buffer.from(BODY)], chatCompletions, options)
  }
  return { open, workers, seen }
}

test('a body of another key waits for one body of a key that sends many', async (t) => {
  const { open, seen } = watched(t, { most: 1, idleMs: 0 })
  const order: string[] = []
  const noted = async (owner: string) => {
    const body = await open(owner)
    order.push(owner)
    return body
  }
  const opened = await Promise.all(['a', 'a', 'a', 'a', 'b'].map(noted))
  assert.deepEqual(order, ['a', 'b', 'a', 'a', 'a'])
  assert.deepEqual(seen, { tasks: 5, most: 1 })
  for (const body of opened) body.release()
})

test('more workers start when the others are busy, up to a bound; all but one end when they are idle', async (t) => {
  const { open, workers } = watched(t, { most: 2, idleMs: 0 })
  const first = await open('a')
  const second = await open('a')
  assert.equal(workers.length, 1, 'one that has nothing to do is used again')
  const more = await Promise.all(['a', 'b', 'c'].map(open))
  assert.equal(workers.length, 2)
  const ended = Promise.race(workers.map((worker) => once(worker, 'exit')))
  for (const body of [first, second, ...more]) body.release()
  // Idle workers keep no process alive, not even this one.
  const alive = setInterval(() => {}, 1_000)
  await ended
  clearInterval(alive)
  const last = await open('a')
  assert.equal(workers.length, 2, 'the last one stays')
  last.release()
})

test('workers are for cores that serve nothing', () => {
  assert.deepEqual(
    [workersFor(1, 1), workersFor(2, 1), workersFor(4, 1), workersFor(32, 1), workersFor(8, 2), workersFor(8, 8)],
    [1, 1, 3, 4, 3, 1],
  )
})
