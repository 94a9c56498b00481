import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { Conversation, type ConversationOptions } from './conversation.ts'

type Theirs = {
  double(value: number): number
  later(value: number): Promise<number>
  fail(kind: string): never
  bytes(length: number): ArrayBuffer
  note(text: string): void
  notes(input: null): string[]
  ask(value: number): Promise<number>
  end(code: number): void
}

const PROGRAM = `
  const { parentPort } = require('node:worker_threads')
  const notes = []
  import(${JSON.stringify(new URL('./conversation.ts', import.meta.url).href)}).then(({ Conversation }) => {
    const parent = new Conversation(parentPort, {
      double: (value) => 2 * value,
      later: async (value) => 2 * value,
      fail(kind) {
        if (kind === 'type') throw new TypeError('a wrong type')
        throw Object.assign(new Error('not cloneable', { cause: () => {} }))
      },
      bytes: (length) => new ArrayBuffer(length),
      note: (text) => notes.push(text),
      notes: () => notes,
      ask: (value) => parent.ask('half', value),
      end: (code) => process.exit(code),
    }, { transfer: (output) => (output instanceof ArrayBuffer ? [output] : []) })
  })`

function converse(t: TestContext, options?: ConversationOptions) {
  const worker = new Worker(PROGRAM, { eval: true })
  t.after(() => worker.terminate())
  return new Conversation<Theirs>(worker, { half: (value: number) => value / 2 }, options)
}

test('both sides ask, in any order, and what is told comes before what is asked later', async (t) => {
  const other = converse(t)
  other.tell('note', 'one')
  other.tell('note', 'two')
  assert.deepEqual(await Promise.all([other.ask('later', 1), other.ask('double', 2), other.ask('ask', 8)]), [2, 4, 4])
  assert.deepEqual(await other.ask('notes', null), ['one', 'two'])
  assert.equal((await other.ask('bytes', 7)).byteLength, 7)
})

test('an error keeps its class and stack, and one that cannot cross its message', async (t) => {
  const other = converse(t)
  const error = await other.ask('fail', 'type').catch((thrown: unknown) => thrown)
  assert.ok(error instanceof TypeError && error.message === 'a wrong type')
  assert.match(error.stack ?? '', /at Object\.fail/)
  await assert.rejects(other.ask('fail', 'other'), /not cloneable/)
  const packed = converse(t, { unpack: (thrown: Error) => new RangeError(thrown.message) })
  await assert.rejects(packed.ask('fail', 'type'), { name: 'RangeError', message: 'a wrong type' })
})

test('the end of the worker fails what waits and what is asked from then on, and is told once', async (t) => {
  const seen: unknown[] = []
  const other = converse(t, { name: 'the one', onEnd: (error) => seen.push(error) })
  other.tell('end', 3)
  await assert.rejects(other.ask('double', 1), /the one has ended with 3/)
  await assert.rejects(other.ask('double', 1), /the one has ended with 3/)
  other.tell('note', 'nobody listens')
  assert.deepEqual(seen, [other.failure])
})
