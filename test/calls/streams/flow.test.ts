import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { until } from '../../harness.ts'
import { FLOOD, FLOOD_CHARACTERS, startWorld, type World } from './world.ts'

const world: World = await startWorld()
const strict: World = await startWorld({ environment: { STREAM_SLOW_READER_SECONDS: '0.2' } })
after(async () => {
  await world.stop()
  await strict.stop()
})

describe('a caller who does not read', () => {
  for (const isHandedOver of [false, true])
    test(`stops the provider and goes on later (${isHandedOver ? 'node:http' : 'raw socket'})`, async () => {
      const { route, first } = world.pair('openai')
      world.simulator.script(first, [{ stream: { steps: FLOOD } }])
      const caller = world.ask({ model: route }, { isHandedOver, isPaused: true })
      await caller.answered
      await until(() => world.callOf(first).stream?.is === 'blocked', 'the provider is blocked')
      assert.ok(Number(world.callOf(first).stream?.bytes) < FLOOD_CHARACTERS, 'not all of it was taken')
      caller.resume()
      assert.equal(await caller.ended, true)
      assert.ok(caller.text().length > FLOOD_CHARACTERS, 'all of it has arrived')
      assert.equal(caller.isDone(), true)
    })

  for (const isHandedOver of [false, true])
    test(`for too long counts as gone (${isHandedOver ? 'node:http' : 'raw socket'})`, async () => {
      const { route, first } = strict.pair('openai')
      strict.simulator.script(first, [{ stream: { steps: FLOOD } }])
      const caller = strict.ask({ model: route }, { isHandedOver, isPaused: true })
      await caller.answered
      await until(() => strict.callOf(first).outcome === 'aborted', 'the call upstream is ended')
      const row = await strict.newestRow()
      assert.deepEqual([row.status, row.code, row['ended']], [499, 'caller_left', 'slow_reader'])
      assert.ok(Number(row['cost_picodollars']) > 0)
      caller.resume()
      assert.equal(await caller.ended, false, 'it must not be taken for whole')
    })
})
