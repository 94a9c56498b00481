import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { StreamStep } from '../../../simulator/simulator.ts'
import { asPicodollars, usdWithSixDecimals } from '../../../src/domain/pricing/price.ts'
import { KEY, startHarness, until } from '../../harness.ts'
import { newKey } from '../../limits/limited.ts'
import { mountSmallDisk, type SmallDisk } from '../../store/small-disk.ts'
import { callerOf, FAMILIES, startWorld, type World } from './world.ts'

const world: World = await startWorld()
after(() => world.stop())

const ASKED = { stream_options: { include_usage: true } }

describe('the end of a stream', () => {
  for (const family of FAMILIES)
    for (const isHandedOver of [false, true]) {
      const by = isHandedOver ? 'node:http' : 'a raw socket'
      test(`${family}, ${by}: waits for upstream's own, then for the row; cost and usage are those of the row`, async () => {
        const { route, first } = world.pair(family)
        world.simulator.script(first, [{ stream: { steps: [{ play: 'finish' }, 'stall', { play: 'done' }] } }])
        const limited = await newKey(world, { budget: { usd: '1', per: 'day', mode: 'hard' } as never })
        const caller = world.ask({ model: route, ...ASKED }, { isHandedOver, headers: limited.headers })
        await world.simulator.stalled()
        await until(() => caller.said() !== '', 'content is out')
        assert.doesNotMatch(caller.text(), /"finish_reason":"|DONE|"usage":\{/)
        world.simulator.resume()
        await until(() => caller.isDone(), 'it has ended')
        const row = await world.row(caller)
        assert.deepEqual([row['state'], row.status, row['ended']], ['closed', 200, 'finished'])
        assert.equal(await caller.ended, true)
        const { usage, x_gateway: gateway } = caller.chunks().at(-1)
        const cost = asPicodollars(BigInt(String(row['cost_picodollars'])))
        assert.ok(cost > 0n)
        assert.equal(gateway.cost_usd, usdWithSixDecimals(cost))
        assert.equal(caller.trailers()['x-gateway-cost-usd'], gateway.cost_usd)
        assert.equal(caller.trailers()['x-gateway-latency-ms'], String(gateway.latency_ms))
        assert.deepEqual(
          [usage.prompt_tokens, usage.completion_tokens, gateway.usage_source],
          [row['prompt_tokens'], row['completion_tokens'], 'provider'],
        )
        assert.equal(row['upstream_ms'], gateway.latency_ms)
        assert.equal(caller.header('x-gateway-cost-usd'), undefined)
        assert.equal(row['response_bytes'], Buffer.byteLength(caller.text()))
      })
    }

  test('peer bug 1, litellm#36114: gateways in a row count what the provider counted', async () => {
    const { route } = world.pair('openai')
    const entry = `{ provider: inner, model: ${route} }`
    const outer = await startHarness({
      config: `providers: { inner: { family: openai, base_url: "${world.url}/v1", api_key: ${KEY} } }
workspaces: { default: { routes: { outer: { chain: [${entry}] } } } }`,
      environment: { STREAMING: 'on' },
    })
    try {
      // The caller does not ask for usage.
      const messages = [{ role: 'user', content: 'word '.repeat(1_000) }]
      const caller = callerOf(outer.url, { model: 'outer', messages }, {})
      assert.equal(await caller.ended, true)
      const [inner, outside] = [(await world.rows()).at(-1), (await outer.rows()).at(-1)]
      assert.ok(Number(inner?.['prompt_tokens']) > 0)
      assert.deepEqual(
        [outside?.['usage_source'], outside?.['prompt_tokens'], outside?.['completion_tokens']],
        ['provider', inner?.['prompt_tokens'], inner?.['completion_tokens']],
      )
    } finally {
      await outer.stop()
    }
  })

  // Peer bug 28, bifrost#4542, litellm#26102.
  test('content is sent as it comes, not in one burst', async () => {
    const { route, first } = world.pair('openai')
    const text = 'one two three'
    const steps: StreamStep[] = [{ play: 'first' }, 'stall', { play: 1 }, 'stall', { play: 'content' }, 'stall']
    world.simulator.script(first, [{ tweak: { text }, stream: { steps: [...steps, { play: 'done' }] } }])
    const caller = world.ask({ model: route })
    for (const said of ['one', 'one two', text]) {
      await world.simulator.stalled()
      await until(() => caller.said().trim() === said, `"${said}" has arrived`)
      assert.equal(caller.isDone(), false)
      world.simulator.resume()
    }
    assert.equal(await caller.ended, true)
    assert.equal(caller.isDone(), true)
  })
})

const disk = mountSmallDisk(32)
if (disk === null && process.env['CI']) throw new Error('a full disk is not tested: mounting a tmpfs is not permitted')
const skip = disk === null ? 'left out: mounting a tmpfs is not permitted here' : false

describe('a disk that is full at the end of a stream', { skip }, () => {
  test('keeps the end back, with comments, until the row is durable', async () => {
    const { folder, fill, empty, unmount } = disk as SmallDisk
    const small = await startWorld({
      folder,
      environment: { STREAM_HOLD_HEADERS_SECONDS: '0.05', STREAM_KEEP_ALIVE_SECONDS: '0.05' },
    })
    try {
      const { route, first } = small.pair('openai')
      const failing = small.pair('openai')
      small.simulator.script(first, [{ stream: { steps: [{ play: 'finish' }, 'stall', { play: 'done' }] } }])
      small.simulator.script(failing.first, [{ status: 400, delayMs: 100 }])
      // Rows of the size of a disk's block may still find room: so many streams need more.
      const callers = Array.from({ length: 12 }, () => small.ask({ model: route }))
      small.simulator.script(
        first,
        Array(12).fill({ stream: { steps: [{ play: 'finish' }, 'stall', { play: 'done' }] } }),
      )
      await small.simulator.stalled(12)
      await until(() => callers.every((caller) => caller.said() !== ''), 'content is out')
      fill()
      small.simulator.resume()
      await until(() => small.simulator.streams.open === 0, 'upstream has ended')
      const late = callers.find((caller) => !caller.isDone())
      if (late !== undefined) {
        const { length } = late.text()
        await until(() => late.text().length > length || late.isDone(), 'a comment or the end has come')
      }
      empty()
      for (const caller of callers) {
        assert.equal(await caller.ended, true)
        assert.equal(caller.isDone(), true)
        assert.equal((await small.row(caller))['ended'], 'finished')
      }
    } finally {
      await small.stop()
      unmount()
    }
  })
})
