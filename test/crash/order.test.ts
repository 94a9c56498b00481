import assert from 'node:assert/strict'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { after, before, mock, test } from 'node:test'
import { type Harness, hello, startHarness, until } from '../harness.ts'
import { assertVerified } from '../limits/limited.ts'

/**
 * The two orders on which the promises rest. A kill rarely strikes in the microseconds between a write and what must
 * come after it; here the write fails, and what must come after it must not come.
 */
let harness: Harness

before(async () => {
  harness = await startHarness()
})

after(() => harness.stop())

/** Until it is fixed, the gateway cannot make a row durable. */
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
  const call = harness.chat(hello(model))
  await until(async () => !(await isReady()), 'the disk is known to fail')
  disk.mend()
  const refused = await call
  assert.deepEqual([refused.status, refused.json.error?.code], [503, 'log_full'])
  assert.equal(upstreamCalls(model), 0)
  await until(isReady, 'the disk is tried again')
  assert.equal((await harness.chat(hello(model))).status, 200)
  assert.equal(upstreamCalls(model), 1)
  // What was held for the refused call is free again, or the counters would not be what the rows say.
  await assertVerified(harness)
})

test('nothing is answered before the row is complete, also not to who repeats the call', async () => {
  const model = 'claude-order-sim-echo'
  harness.simulator.hold()
  let isAnswered = false
  const ask = () =>
    harness.chat(hello(model), { 'idempotency-key': 'order' }).finally(() => {
      isAnswered = true
    })
  const answer = ask()
  await until(() => upstreamCalls(model) > 0, 'it is under way')
  const repeated = ask()
  await until(async () => /^switchyard_requests_in_flight 2$/m.test((await harness.get('/metrics')).text), 'two wait')
  const disk = breakSpool()
  harness.simulator.release()
  // The end of the row was tried, and not taken.
  await until(async () => !(await isReady()), 'the disk is known to fail')
  // Time enough for an answer that did not wait.
  for (let count = 0; count < 5; count++) assert.equal((await harness.chat(hello(model))).status, 503)
  const wasAnswered = isAnswered
  disk.mend()
  assert.equal(wasAnswered, false)
  const answered = await answer
  assert.deepEqual([answered.status, (await repeated).status], [200, 200])
  assert.equal((await harness.rowOf(answered)).status, 200)
  assert.equal((await harness.chat(hello(model))).status, 200)
})
