import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, describe, test } from 'node:test'
import type { StreamStep } from '../../../simulator/simulator.ts'
import { asPicodollars, exactUsd } from '../../../src/domain/pricing/price.ts'
import { newFolder, until } from '../../harness.ts'
import { type Caller, FLOOD, startWorld, type World } from './world.ts'

const folder = newFolder()
let world: World = await startWorld({ folder })
after(async () => {
  await world.stop()
  rmSync(folder, { recursive: true, force: true })
})

const STALL: StreamStep[] = [{ play: 'first' }, 'stall', { play: 'done' }]
let keys = 0
const newHeaders = () => ({ 'idempotency-key': `stream-${++keys}` })
const callsOf = (model: string) => world.upstream().filter((call) => call.model === model).length

async function ended(caller: Caller): Promise<Caller> {
  await caller.ended
  return caller
}

async function assertCut(caller: Caller): Promise<void> {
  assertRefused(caller, 'answered')
  const { message, details } = JSON.parse(caller.text()).error
  const row = (await world.rows()).find(({ id }) => id === details.request_id)
  const usd = exactUsd(asPicodollars(BigInt(String(row?.['cost_picodollars']))))
  const happened = `was cut before its end as request ${details.request_id}; ${usd} USD were charged`
  assert.ok(Number(usd) > 0 && message.includes(happened), message)
  assert.match(message, /Send a new key/)
  assert.doesNotMatch(message, /completed/)
}

function assertRefused(caller: Caller, state: string): void {
  assert.equal(caller.status(), 409, caller.text().slice(0, 300))
  const { error } = JSON.parse(caller.text())
  assert.deepEqual([error.code, error.details.state], ['conflict', state])
}

describe('a repeat of a stream', () => {
  // Peer bug 31, semantic-router#913: what is sent again is a valid stream.
  test('that runs gets everything from the beginning, then live; later ones get the same bytes', async () => {
    const { route, first } = world.pair('openai')
    world.simulator.script(first, [{ stream: { steps: STALL } }])
    const headers = newHeaders()
    const one = world.ask({ model: route }, { headers })
    await until(() => one.said() !== '', 'content is out')
    const two = world.ask({ model: route }, { headers, isHandedOver: true })
    await until(() => two.said() === one.said(), 'the second has what was sent')
    assert.equal(two.header('x-gateway-idempotent-replay'), 'true')
    world.simulator.resume()
    assert.deepEqual(await Promise.all([one.ended, two.ended]), [true, true])
    assert.equal(two.text(), one.text())
    const three = await ended(world.ask({ model: route }, { headers }))
    assert.equal(three.text(), one.text())
    assert.equal(three.isDone(), true)
    assert.match(String(three.header('content-type')), /^text\/event-stream/)
    assert.equal(three.header('x-gateway-idempotent-replay'), 'true')
    assert.equal(three.header('x-gateway-request-id'), one.header('x-gateway-request-id'))
    assert.equal(three.header('x-gateway-cost-usd'), one.trailers()['x-gateway-cost-usd'])
    assert.equal(callsOf(first), 1)
    const whole = await world.chat({ model: route, messages: [{ role: 'user', content: 'hello' }] }, headers)
    assert.equal(whole.status, 409)
  })

  test('stays when the first caller leaves', async () => {
    const { route, first } = world.pair('anthropic')
    world.simulator.script(first, [{ stream: { steps: STALL } }])
    const headers = newHeaders()
    const one = world.ask({ model: route }, { headers })
    await until(() => one.said() !== '', 'content is out')
    const two = world.ask({ model: route }, { headers })
    await until(() => two.said() !== '', 'the second has joined')
    await world.leave(one)
    world.simulator.resume()
    assert.equal(await two.ended, true)
    assert.equal(two.isDone(), true)
    assert.equal((await world.newestRow())['ended'], 'finished')
  })

  test('before content waits, and gets what the first gets', async () => {
    for (const answer of [{ status: 400 }, { stream: { steps: [{ play: 'first' }, 'cut'] } }] as const) {
      const { route, first } = world.pair('openai')
      world.simulator.hold()
      world.simulator.script(first, [answer])
      const headers = newHeaders()
      const one = world.ask({ model: route }, { headers })
      await until(() => callsOf(first) === 1, 'it is called')
      const two = world.ask({ model: route }, { headers })
      await world.get('/healthz')
      world.simulator.release()
      await Promise.all([one.ended, two.ended])
      assert.deepEqual([two.status(), two.text()], [one.status(), one.text()])
      assert.equal(callsOf(first), 1)
    }
  })

  test('that failed before content is a new call', async () => {
    const { route, first, second } = world.pair('openai')
    world.simulator.script(first, [{ stream: { steps: [{ play: 'start' }, 'end'] } }])
    world.simulator.script(second, [{ status: 500 }])
    const headers = newHeaders()
    assert.equal((await ended(world.ask({ model: route }, { headers }))).status(), 502)
    const again = await ended(world.ask({ model: route }, { headers }))
    assert.deepEqual([again.status(), again.isDone()], [200, true])
  })

  test('too long to be kept is refused while it runs and after it', async () => {
    const { route, first } = world.pair('openai')
    const flood = FLOOD.map((step) => (typeof step === 'object' && 'send' in step ? { ...step, times: 1_200 } : step))
    world.simulator.script(first, [{ stream: { steps: [...flood.slice(0, 2), 'stall', { play: 'done' }] } }])
    const headers = newHeaders()
    const one = world.ask({ model: route }, { headers })
    await world.simulator.stalled()
    await until(() => one.text().length > 2.1 * 1024 * 1024, 'more than is kept is out')
    assertRefused(await ended(world.ask({ model: route }, { headers })), 'running')
    world.simulator.resume()
    assert.equal(await one.ended, true)
    const late = await ended(world.ask({ model: route }, { headers }))
    assertRefused(late, 'answered')
    assert.match(late.text(), /was completed and charged/)
  })

  test('whose caller left at the very end gets what is kept', async () => {
    const { route, first } = world.pair('openai')
    world.simulator.script(first, [{ stream: { steps: [{ play: 'finish' }, 'stall', { play: 'done' }] } }])
    const headers = newHeaders()
    const one = world.ask({ model: route }, { headers })
    await until(() => one.said() !== '', 'content is out')
    one.leave()
    const two = world.ask({ model: route }, { headers })
    await world.get('/healthz')
    world.simulator.resume()
    await two.ended
    if (two.status() === 409) assertRefused(two, 'answered')
    else assert.equal(two.isDone(), true)
    await world.nothingRuns()
  })
})

describe('a charged stream reserves its key, also after a restart', () => {
  const CUTS: [string, StreamStep[], boolean][] = [
    ['a cut after content', [{ play: 'first' }, 'cut'], false],
    ['a caller who left after content', STALL, true],
    ['a caller who left when only the input was counted', [{ play: 'start' }, 'stall'], true],
  ]
  const kept: [string, string, Record<string, string>][] = []
  for (const [what, steps, leaves] of CUTS)
    test(what, async () => {
      const { route, first } = world.pair('anthropic')
      world.simulator.script(first, [{ stream: { steps } }])
      const headers = newHeaders()
      kept.push([route, first, headers])
      const caller = world.ask({ model: route }, { headers })
      caller.answered.catch(() => undefined)
      if (leaves) {
        await world.simulator.stalled()
        if (what.endsWith('content')) await until(() => caller.said() !== '', 'content is out')
        await world.leave(caller)
        await world.nothingRuns()
      }
      await caller.ended
      await assertCut(await ended(world.ask({ model: route }, { headers })))
      assert.equal(callsOf(first), 1)
    })

  test('in the log, too', async () => {
    await world.stop()
    world = await startWorld({ folder })
    for (const [route, first, headers] of kept) {
      await assertCut(await ended(world.ask({ model: route }, { headers })))
      assert.equal(callsOf(first), 0)
    }
  })
})
