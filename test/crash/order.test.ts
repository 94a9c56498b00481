import assert from 'node:assert/strict'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { after, before, mock, test } from 'node:test'
import { type Harness, hello, startHarness, until } from '../harness.ts'

/**
 * The two orders on which the promises rest. A kill rarely strikes in the microseconds between a write and what must
 * come after it; here the write fails, and what must come after it must not come.
 */
let harness: Harness

before(async () => {
  harness = await startHarness()
})

after(() => harness.stop())

/** Until it is mended, the gateway cannot make a row durable. */
function breakSpool(): { mend(): void } {
  const broken = mock.method(fs, 'writeSync', () => {
    throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
  })
  syncBuiltinESMExports()
  return {
    mend() {
      broken.mock.restore()
      syncBuiltinESMExports()
    },
  }
}

function upstreamCalls(model: string): number {
  return harness.simulator.calls.filter((call) => call.model === model).length
}

const isReady = async () => (await harness.get('/readyz')).status === 200

test('nothing is sent upstream before the row is open', async () => {
  const model = 'gpt-order-sim-echo'
  const disk = breakSpool()
  const refused = await harness.chat(hello(model))
  disk.mend()
  assert.deepEqual([refused.status, refused.json.error.code], [503, 'log_full'])
  assert.equal(upstreamCalls(model), 0)
  await until(isReady, 'the disk is tried again')
  assert.equal((await harness.chat(hello(model))).status, 200)
  assert.equal(upstreamCalls(model), 1)
})

test('nothing is answered before the row is complete', async () => {
  const model = 'claude-order-sim-echo'
  harness.simulator.hold()
  let isAnswered = false
  const answer = harness.chat(hello(model)).finally(() => (isAnswered = true))
  await until(() => upstreamCalls(model) > 0, 'it is under way')
  const disk = breakSpool()
  harness.simulator.release()
  // The end of the row was tried, and not taken.
  await until(async () => !(await isReady()), 'the disk is known to fail')
  assert.equal(isAnswered, false)
  disk.mend()
  const answered = await answer
  assert.equal(answered.status, 200)
  assert.equal((await harness.rowOf(answered)).status, 200)
  assert.equal((await harness.chat(hello(model))).status, 200)
})
