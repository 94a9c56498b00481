import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { StreamStep } from '../../../simulator/simulator.ts'
import { ADMIN_KEY, type Row, until } from '../../harness.ts'
import { newKey } from '../../limits/limited.ts'
import { attemptsOf, type Caller, FAMILIES, type Family, FLOOD, startWorld, streamConfig, type World } from './world.ts'

/** Silence alone ends nothing while a test waits. */
const world: World = await startWorld({ environment: { STREAM_IDLE_SECONDS: '3600' } })
const drain = (more: Record<string, string> = {}) =>
  startWorld({
    config: streamConfig('', 'providers: { openai: { on_caller_left: drain } }'),
    environment: { STREAM_DRAINS: '1', ...more },
  })
const draining: World = await drain()
const hasty: World = await drain({ STREAM_DRAIN_SECONDS: '0.1' })
after(async () => {
  for (const each of [world, draining, hasty]) await each.stop()
})

const STALL: StreamStep[] = [{ play: 'first' }, 'stall', { play: 'done' }]

/**
 * The provider has sent what it had to send, and the gateway has read it. Metrics are asked of every thread that serves,
 * so each of them has had a turn since then; twice, because the first may still have been at work at its turn.
 */
async function stalledAndRead(where: World): Promise<void> {
  await where.simulator.stalled()
  for (let turn = 0; turn < 2; turn++) {
    const { status } = await where.get('/metrics', { authorization: `Bearer ${ADMIN_KEY}` })
    assert.equal(status, 200)
  }
}

/** Moments at which a caller may leave: the script of the provider, and when. */
const MOMENTS: [string, StreamStep[] | 'hang', (where: World, caller: Caller, model: string) => Promise<unknown>][] = [
  [
    'while it waits for the head',
    'hang',
    (where, _caller, model) => until(() => where.upstream().some((call) => call.model === model), 'it is called'),
  ],
  ['before content', [{ play: 'start' }, 'stall'], stalledAndRead],
  ['after content', STALL, (_where, caller) => until(() => caller.said() !== '', 'content is out')],
  ['before the end', [{ play: 'finish' }, 'stall'], stalledAndRead],
]

function assertLeft(row: Row, family: Family, moment: string): void {
  assert.deepEqual([row.status, row.code, row['state']], [499, 'caller_left', 'closed'])
  const hasContent = !/head|before content/.test(moment)
  assert.equal(row['ended'], hasContent ? 'caller_left' : null)
  const cost = row['cost_picodollars']
  if (hasContent) assert.ok(Number(cost) > 0, JSON.stringify(row))
  else if (family === 'openai' || moment.includes('head')) assert.equal(cost, null)
  else assert.ok(Number(cost) > 0, 'the input that the provider has counted')
  if (!hasContent) return
  const isCounted = moment === 'before the end' && family === 'anthropic'
  if (!isCounted && moment !== 'before the end')
    assert.equal(row['usage_source'], family === 'anthropic' ? 'provider_partial' : 'estimated')
}

// Peer bug 14, litellm#9178, #13774, #36123: upstream continued. Peer bug 15, new-api#7062, #4463, #5235: nothing was
// charged.
describe('a caller who leaves', () => {
  for (const family of FAMILIES)
    for (const isHandedOver of [false, true])
      for (const [moment, steps, reached] of MOMENTS)
        test(`${moment} of ${family} (${isHandedOver ? 'node:http' : 'raw socket'}) ends the stream upstream`, async () => {
          const { route, first } = world.pair(family)
          world.simulator.script(first, [steps === 'hang' ? { behaviour: 'hang' } : { stream: { steps } }])
          const limited = await newKey(world, { max_parallel: 1 })
          const caller = world.ask({ model: route }, { isHandedOver, headers: limited.headers })
          caller.answered.catch(() => undefined)
          await reached(world, caller, first)
          caller.leave()
          await until(() => world.callOf(first).outcome === 'aborted', 'the call upstream is ended')
          const row = await world.newestRow()
          assertLeft(row, family, moment)
          assert.equal(attemptsOf(row).length, 1)
          // Its place among the parallel calls is free again.
          assert.equal((await limited.chat(route)).status, 200)
        })

  test('while blocked is noticed', async () => {
    const { route, first } = world.pair('openai')
    world.simulator.script(first, [{ stream: { steps: FLOOD } }])
    const caller = world.ask({ model: route, max_tokens: 4_000 }, { isPaused: true })
    await caller.answered
    await until(() => world.callOf(first).stream?.is === 'blocked', 'the provider is blocked')
    caller.leave()
    await until(() => world.callOf(first).outcome === 'aborted', 'the call upstream is ended')
    const row = await world.newestRow()
    assert.deepEqual([row.status, row['ended']], [499, 'caller_left'])
    assert.ok(Number(row['completion_tokens']) <= 4_000)
  })
})

// Peer bug 18, litellm#34147: a part was booked of what was billed whole.
describe('a provider that bills the whole answer', () => {
  for (const [moment, steps] of [
    ['after content', STALL],
    ['before content', [{ play: 'start' }, 'stall', { play: 'done' }]],
  ] as [string, StreamStep[]][])
    test(`${moment}: is read to its end, so the usage is exact`, async () => {
      const { route, first, second } = draining.pair('openai')
      draining.simulator.script(first, [
        { tweak: { usage: { prompt: 21, completion: 34 } }, stream: { steps } } as never,
      ])
      const caller = draining.ask({ model: route })
      caller.answered.catch(() => undefined)
      await draining.simulator.stalled()
      if (moment === 'after content') await until(() => caller.said() !== '', 'content is out')
      await draining.leave(caller)
      draining.simulator.resume()
      const row = await draining.newestRow()
      assert.deepEqual(
        [row.status, row.code, row['ended'], row['usage_source']],
        [499, 'caller_left', 'caller_left', 'provider'],
      )
      assert.equal(draining.callOf(first).outcome, 'answered')
      assert.equal(draining.simulator.streams.aborted, 0)
      assert.equal(
        draining.upstream().some(({ model }) => model === second),
        false,
      )
    })

  test('no more than so many at a time; the next one is aborted', async () => {
    const pairs = [draining.pair('openai'), draining.pair('openai')]
    for (const { first } of pairs) draining.simulator.script(first, [{ stream: { steps: STALL } }])
    for (const { route, first } of pairs) {
      const caller = draining.ask({ model: route })
      await until(() => caller.said() !== '', 'content is out')
      await draining.leave(caller)
      if (first === pairs[1]?.first)
        await until(() => draining.callOf(first).outcome === 'aborted', 'the second is aborted')
    }
    assert.equal(draining.callOf(pairs[0]?.first ?? '').outcome, 'pending')
    draining.simulator.resume()
    await draining.nothingRuns()
    const sources = (await draining.rows()).slice(-2).map((row) => row['usage_source'])
    assert.deepEqual(sources, ['provider', 'estimated'])
  })

  test('for no longer than so many seconds, which is no failure of the provider', async () => {
    const { route, first, second } = hasty.pair('openai')
    hasty.simulator.script(first, [{ stream: { steps: STALL } }])
    const caller = hasty.ask({ model: route })
    await until(() => caller.said() !== '', 'content is out')
    caller.leave()
    const row = await hasty.newestRow()
    assert.deepEqual([row.code, row['ended'], row['usage_source']], ['caller_left', 'caller_left', 'estimated'])
    assert.equal(hasty.callOf(first).outcome, 'aborted')
    assert.equal(attemptsOf(row)[0].code ?? null, null)
    assert.equal(
      hasty.upstream().some(({ model }) => model === second),
      false,
    )
  })

  test('nobody else is called for a caller who has left', async () => {
    const { route, first, second } = draining.pair('openai')
    draining.simulator.script(first, [{ stream: { steps: [{ play: 'start' }, 'stall', { error: 500 }] } }])
    const caller = draining.ask({ model: route })
    caller.answered.catch(() => undefined)
    await draining.simulator.stalled()
    await draining.leave(caller)
    draining.simulator.resume()
    const row = await draining.newestRow()
    assert.equal(row.code, 'caller_left')
    assert.equal(
      draining.upstream().some(({ model }) => model === second),
      false,
    )
  })
})
