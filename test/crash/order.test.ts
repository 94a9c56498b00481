import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Harness, hello, startHarness } from '../harness.ts'

/**
 * The two orders on which the promises rest. A kill rarely strikes in the microseconds between a write and what must
 * come after it; here the write is held up for as long as we like.
 */
let harness: Harness

before(async () => {
  harness = await startHarness()
})

after(() => harness.stop())

/** Long enough for a call that does not wait to be seen. */
const A_WHILE_MS = 250

/** While this is held, the gateway cannot make a row durable; it tries again until it can. */
function holdSpool(): { release(): void } {
  const database = new DatabaseSync(join(harness.folder, 'data', 'spool.db'), { timeout: 5_000 })
  database.exec('begin immediate')
  return {
    release() {
      database.exec('rollback')
      database.close()
    },
  }
}

function upstreamCalls(model: string): number {
  return harness.simulator.calls.filter((call) => call.model === model).length
}

test('nothing is sent upstream before the row is open', async () => {
  const model = 'gpt-order-sim-echo'
  const held = holdSpool()
  const answer = harness.chat(hello(model))
  await sleep(A_WHILE_MS)
  assert.equal(upstreamCalls(model), 0)
  held.release()
  assert.equal((await answer).status, 200)
  assert.equal(upstreamCalls(model), 1)
})

test('nothing is answered before the row is complete', async () => {
  const model = 'claude-order-sim-echo'
  harness.simulator.hold()
  let answered = false
  const answer = harness.chat(hello(model)).finally(() => {
    answered = true
  })
  while (upstreamCalls(model) === 0) await sleep(5)
  const held = holdSpool()
  harness.simulator.release()
  await sleep(A_WHILE_MS)
  assert.equal(answered, false)
  held.release()
  assert.equal((await answer).status, 200)
})
