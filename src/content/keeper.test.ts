import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { describe, test } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { createContentKeeper, type DropReason } from './keeper.ts'
import type { Done, KeptContent } from './protocol.ts'

const KEY = { id: 'k', key: new Uint8Array(32) }
const SETTINGS = { retention_days: 1, redact: [], patterns: [] }

/** A worker that does only what the test says. */
type Told = { task: 'keep'; input: KeptContent } | { task: 'stop' }

class FakeWorker extends EventEmitter {
  readonly posted: Told[] = []
  unref() {}
  ref() {}
  postMessage(message: Told) {
    this.posted.push(message)
    if (message.task === 'stop') this.emit('exit', 0)
  }
  done(done: Done) {
    this.emit('message', { kind: 'tell', task: 'done', input: done })
  }
}

function world(maxBytes: number, hasKey = true) {
  const workers: FakeWorker[] = []
  const dropped: [number, DropReason][] = []
  let stored = 0
  const data = { target: { kind: 'sqlite', path: '' } as const, synchronousFull: false, key: KEY }
  const keeper = createContentKeeper({
    worker: hasKey ? data : null,
    maxBytes,
    onStored: (calls) => (stored += calls),
    onDropped: (calls, reason) => dropped.push([calls, reason]),
    onProblem() {},
    start() {
      const worker = new FakeWorker()
      workers.push(worker)
      return worker as unknown as Worker
    },
  })
  const begin = (id: string, bytes: number) =>
    keeper.begin({ id, workspace: 'w', endpoint: 'chat', storedAt: 1, settings: SETTINGS }, [new Uint8Array(bytes)])
  return { keeper, begin, workers, dropped, stored: () => stored }
}

const kept = (worker: FakeWorker | undefined) =>
  (worker?.posted ?? []).flatMap((message) => (message.task === 'keep' ? [message.input] : []))

describe('memory', () => {
  test('what does not fit is dropped, counted and noted, and what follows fits again', () => {
    const { begin, workers, dropped } = world(100)
    begin('a', 60)?.end('x'.repeat(10), null)
    begin('b', 60)?.end('x', null)
    assert.deepEqual(dropped, [[1, 'queue_full']])
    assert.deepEqual(
      kept(workers[0]).map(({ id, dropped, request }) => [id, dropped, request?.bytes ?? null]),
      [
        ['a', null, 60],
        ['b', 'queue_full', null],
      ],
    )
    workers[0]?.done({ seq: 2, stored: 1, failed: 0 })
    begin('c', 100)?.end(null, null)
    assert.equal(dropped.length, 1)
  })

  test('frames of a stream that do not fit drop all of that call', () => {
    const { begin, workers, dropped } = world(100)
    const call = begin('a', 60)
    for (let frame = 0; frame < 5; frame++) call?.record('x'.repeat(20))
    assert.equal(begin('b', 100) === null, false)
    call?.end(null, 'end')
    assert.deepEqual(dropped, [[1, 'queue_full']])
    assert.deepEqual(kept(workers[0])[0]?.request, null)
  })

  test('a call that ends without a row takes nothing with it', () => {
    const { begin, workers, dropped } = world(100)
    begin('a', 100)?.release()
    begin('b', 100)?.end(null, null)
    assert.deepEqual(dropped, [])
    assert.equal(kept(workers[0]).length, 1)
  })
})

describe('the worker', () => {
  test('one that dies loses what it had; the next call starts another one', async () => {
    const { keeper, begin, workers, dropped } = world(100)
    begin('a', 50)?.end(null, null)
    const written = keeper.written()
    workers[0]?.emit('exit', 1)
    await written
    assert.deepEqual(dropped, [[1, 'failed']])
    begin('b', 100)?.end(null, null)
    assert.deepEqual(
      kept(workers[1]).map(({ id }) => id),
      ['b'],
    )
  })

  test('written waits for what was kept before', async () => {
    const { keeper, begin, workers, stored } = world(100)
    await keeper.written()
    begin('a', 1)?.end(null, null)
    let isWritten = false
    const written = keeper.written().then(() => (isWritten = true))
    begin('b', 1)?.end(null, null)
    await Promise.resolve()
    assert.equal(isWritten, false)
    workers[0]?.done({ seq: 1, stored: 1, failed: 0 })
    await written
    assert.equal(stored(), 1)
  })

  test('without a key nothing is kept', () => {
    const { begin, dropped } = world(100, false)
    assert.equal(begin('a', 1), null)
    assert.deepEqual(dropped, [[1, 'no_key']])
  })
})
