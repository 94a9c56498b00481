import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { StreamStep } from '../../../simulator/simulator.ts'
import { until } from '../../harness.ts'
import { newKey } from '../../limits/limited.ts'
import { FLOOD, startWorld, type World } from './world.ts'

const world: World = await startWorld()
after(() => world.stop())

const STALL: StreamStep[] = [{ play: 'first' }, 'stall', { play: 'done' }]

describe('limits of streams', () => {
  test('parallel streams never exceed a hard budget, however they end', async () => {
    const { route, first } = world.pair('openai')
    const usd = 0.005
    const limited = await newKey(world, { budget: { usd: String(usd), per: 'day', mode: 'hard' } as never })
    const endings: StreamStep[][] = [[{ play: 'done' }], [{ play: 'first' }, 'cut'], FLOOD.slice(0, 2), STALL]
    // An answer longer than was asked for is the provider's fault: the estimate stays within the hold.
    const short = endings.map((steps) =>
      steps.map((step) => (typeof step === 'object' && 'send' in step ? { ...step, times: 5 } : step)),
    )
    world.simulator.script(
      first,
      Array.from({ length: 20 }, (_, call) => ({ stream: { steps: short[call % 4] ?? [] } })),
    )
    const callers = Array.from({ length: 20 }, () =>
      world.ask({ model: route, max_tokens: 100 }, { headers: limited.headers }),
    )
    await Promise.all(callers.map((caller) => caller.answered))
    await until(() => callers.every((caller) => caller.status() !== 200 || caller.text() !== ''), 'all are answered')
    for (const caller of callers) if (caller.status() === 200) caller.leave()
    await world.nothingRuns()
    const rows = (await world.rows()).filter((row) => row['key_id'] === limited.id)
    const spent = rows.reduce((sum, row) => sum + Number(row['cost_picodollars'] ?? 0), 0)
    assert.ok(spent > 0 && spent <= usd * 1e12, String(spent))
    assert.ok(
      rows.some((row) => row.status === 402 || row.status === 429),
      'some did not fit',
    )
    for (const row of rows)
      assert.ok(Number(row['cost_picodollars'] ?? 0) <= Number(row['hold_picodollars'] ?? 0), JSON.stringify(row))
  })

  test('max_parallel counts a stream until its end, and tokens per minute are settled with its numbers', async () => {
    const { route, first } = world.pair('anthropic')
    world.simulator.script(first, [{ stream: { steps: STALL } }])
    const limited = await newKey(world, { max_parallel: 1, tpm: 100_000 })
    const caller = world.ask({ model: route }, { headers: limited.headers })
    await until(() => caller.said() !== '', 'content is out')
    const refused = world.ask({ model: route }, { headers: limited.headers })
    await refused.ended
    assert.equal(refused.status(), 429)
    world.simulator.resume()
    await caller.ended
    const row = await world.row(caller)
    const tokens = Number(row['prompt_tokens']) + Number(row['completion_tokens'])
    const next = await limited.chat(route)
    const held = Number((await world.rowOf(next))['hold_tokens'])
    assert.equal(Number(next.headers.get('x-ratelimit-remaining-tokens')), 100_000 - tokens - held)
  })
})
