import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { describe, test } from 'node:test'
import type { StreamStep } from '../../../simulator/simulator.ts'
import { newFolder, type Row, until } from '../../harness.ts'
import { cutOf, startWorld, streamConfig } from './world.ts'

const STALL: StreamStep[] = [{ play: 'first' }, 'stall', { play: 'done' }]

describe('a shutdown while streams run', () => {
  for (const [what, seconds] of [
    ['lets them finish', '60'],
    ['cuts those that outlast it: an error frame and a settled row', '1'],
  ] as const)
    test(what, async () => {
      const folder = newFolder()
      const config = streamConfig('', 'providers: { anthropic: { on_caller_left: drain } }')
      const world = await startWorld({ folder, config, environment: { DRAIN_SECONDS: seconds } })
      const [read, left] = [world.pair('openai'), world.pair('anthropic')]
      for (const { first } of [read, left]) world.simulator.script(first, [{ stream: { steps: STALL } }])
      const caller = world.ask({ model: read.route })
      const leaver = world.ask({ model: left.route })
      await until(() => caller.said() !== '' && leaver.said() !== '', 'content is out')
      await world.leave(leaver)
      const stopped = world.gateway.stop()
      if (seconds === '60') world.simulator.resume()
      assert.equal(await caller.ended, true)
      if (seconds === '60') assert.equal(caller.isDone(), true)
      else assert.match(cutOf(caller).message, /shutting down/)
      await stopped
      const again = await startWorld({ folder, config })
      const rows = await again.rows()
      const of = (model: string) => rows.find((row) => row['model'] === model) as Row
      const figures = (row: Row) => [row.status, row.code, row['ended'], row['usage_source']]
      if (seconds === '60') {
        assert.deepEqual(figures(of(read.first)), [200, null, 'finished', 'provider'])
        assert.deepEqual(figures(of(left.first)), [499, 'caller_left', 'caller_left', 'provider'])
      } else {
        assert.deepEqual(figures(of(read.first)), [200, 'overloaded', 'interrupted', 'estimated'])
        assert.deepEqual(figures(of(left.first)), [0, 'interrupted', 'interrupted', 'provider_partial'])
      }
      for (const row of rows) assert.ok(Number(row['cost_picodollars']) > 0 && row['state'] === 'closed')
      await again.stop()
      world.simulator.resume()
      await world.simulator.close()
      rmSync(folder, { recursive: true, force: true })
    })
})
