import assert from 'node:assert/strict'
import { after, afterEach, describe, test } from 'node:test'
import type { StreamStep } from '../../simulator/simulator.ts'
import { checkLog } from '../../src/request-log/verify/verify-log.ts'
import { hello, type Json, type Row, until } from '../harness.ts'
import { newKey } from '../limits/limited.ts'
import { managing } from '../management/manage.ts'
import { FAMILIES, type Family, type Pair, startWorld, streamConfig, type World } from './streams/world.ts'

const world: World = await startWorld({ config: streamConfig(', hedge_after_ms: 1') })
const draining: World = await startWorld({
  config: streamConfig(', hedge_after_ms: 1', 'providers: { openai: { on_caller_left: drain } }'),
})
const manage = managing(() => world)
afterEach(() => world.simulator.release())
after(async () => {
  for (const each of [world, draining]) await each.stop()
})

const attemptsOf = (row: Row): Json[] => JSON.parse(String(row['attempts']))
const asked = (where: World, model: string) => where.upstream().filter((call) => call.model === model)
const bothAsked = (where: World, { first, second }: Pair) =>
  until(() => asked(where, first).length === 1 && asked(where, second).length === 1, 'both are asked')
const small = (route: string) => hello(route, { max_tokens: 100 })

/** One dollar a million prompt tokens, five a million answer tokens (world.ts). */
function ownCost(row: Row): number {
  return Number(row['prompt_tokens']) * 1e6 + Number(row['completion_tokens']) * 5e6
}

/** Both are in the cost, which is within its bounds and what was held; the sum is what the parts say. */
function assertPaid(row: Row, lost: Json): void {
  assert.equal(lost.code, 'hedge_lost', JSON.stringify(lost))
  assert.ok(Number(lost.costPicodollars) > 0, JSON.stringify(lost))
  const cost = Number(row['cost_picodollars'])
  assert.equal(cost, ownCost(row) + Number(lost.costPicodollars))
  assert.ok(cost <= Number(row['hold_picodollars']), `${cost} of ${row['hold_picodollars']}`)
  if (row['cost_most_picodollars'] === null) return
  assert.ok(Number(row['cost_least_picodollars']) <= cost && cost <= Number(row['cost_most_picodollars']))
  assert.ok(Number(row['cost_most_picodollars']) <= Number(row['hold_picodollars']))
}

describe('a whole answer', () => {
  test('that is late is asked for elsewhere, too; the one that lost is ended, and paid', async () => {
    const { route, first, second } = world.pair('openai')
    world.simulator.script(first, [{ behaviour: 'hang' }])
    const answer = await world.chat(small(route))
    assert.equal(answer.headers.get('x-gateway-model'), second)
    await until(() => world.callOf(first).outcome === 'aborted', 'it is ended')
    const row = await world.rowOf(answer)
    const [lost, served] = attemptsOf(row)
    assert.deepEqual([lost.model, served.model, served.reason], [first, second, 'served'])
    assertPaid(row, lost)
    assert.equal(lost.usageSource, 'estimated')
    assert.equal(row['usage_source'], 'provider')
    assert.equal(
      Number(answer.headers.get('x-gateway-cost-usd')).toFixed(6),
      (Number(row['cost_picodollars']) / 1e12).toFixed(6),
    )
    const explained = (await manage('GET', `/requests/${row.id}/explain`)).json
    assert.match(
      explained.cost_lines.join('\n'),
      new RegExp(`openai/${first} was asked, too, and lost: .* an estimate\ntogether: `),
    )
    assert.equal(Number(explained.cost.total_usd) * 1e12, Number(row['cost_picodollars']))
    const { attempts } = (await manage('GET', `/requests/${row.id}`)).json
    assert.equal(Number(attempts[0].cost_usd) * 1e12, Number(lost.costPicodollars))
  })

  test('that comes after all wins over the one asked second', async () => {
    const pair = world.pair('openai')
    world.simulator.hold()
    world.simulator.script(pair.second, [{ behaviour: 'hang' }])
    const answering = world.chat(small(pair.route))
    await bothAsked(world, pair)
    world.simulator.release()
    const row = await world.rowOf(await answering)
    assert.deepEqual([row['model'], row['fallback']], [pair.first, 0])
    await until(() => world.callOf(pair.second).outcome === 'aborted', 'it is ended')
    assertPaid(row, attemptsOf(row)[1])
  })

  test('of the one that failed costs nothing, and the other serves', async () => {
    const pair = world.pair('openai')
    world.simulator.hold()
    world.simulator.script(pair.first, [{ status: 500 }])
    const answering = world.chat(small(pair.route))
    await bothAsked(world, pair)
    world.simulator.release()
    const row = await world.rowOf(await answering)
    assert.equal(row['model'], pair.second)
    assert.ok(
      [ownCost(row), ownCost(row) + Number(attemptsOf(row)[0].costPicodollars ?? 0)].includes(
        Number(row['cost_picodollars']),
      ),
    )
  })

  test('that nobody has is the error of the last one, once each', async () => {
    const pair = world.pair('openai')
    world.simulator.hold()
    for (const model of [pair.first, pair.second]) world.simulator.script(model, [{ status: 500 }])
    const answering = world.chat(small(pair.route))
    await bothAsked(world, pair)
    world.simulator.release()
    const answer = await answering
    assert.equal(answer.status, 502)
    const row = await world.rowOf(answer)
    assert.deepEqual(
      attemptsOf(row).map(({ code }) => code),
      ['upstream_error', 'upstream_error'],
    )
    assert.equal(row['cost_picodollars'], null)
  })
})

const STALL: StreamStep[] = [{ play: 'start' }, 'stall', { play: 'done' }]

describe('a stream', () => {
  for (const family of FAMILIES) {
    test(`of ${family} that is late before its content loses`, async () => {
      const pair = world.pair(family)
      world.simulator.script(pair.first, [{ stream: { steps: STALL } }])
      const caller = world.ask({ model: pair.route, max_tokens: 100 })
      assert.equal(await caller.ended, true)
      assert.ok(caller.isDone() && caller.said() !== '')
      await world.nothingRuns()
      const row = await world.row(caller)
      const [lost] = attemptsOf(row)
      assert.deepEqual([lost.model, row['model'], row['ended']], [pair.first, pair.second, 'finished'])
      assertPaid(row, lost)
      assert.ok(['estimated', 'provider_partial'].includes(lost.usageSource))
      assert.equal(
        caller.chunks().at(-1)?.x_gateway?.cost_usd ?? caller.trailers()['x-gateway-cost-usd'],
        (Number(row['cost_picodollars']) / 1e12).toFixed(6),
      )
    })

    test(`of ${family} that comes after all wins, and the other is ended`, async () => {
      const pair = world.pair(family)
      world.simulator.script(pair.first, [{ stream: { steps: STALL } }])
      world.simulator.script(pair.second, [{ behaviour: 'hang' }])
      const caller = world.ask({ model: pair.route, max_tokens: 100 })
      await bothAsked(world, pair)
      await world.simulator.stalled()
      world.simulator.resume()
      assert.equal(await caller.ended, true)
      await until(() => world.callOf(pair.second).outcome === 'aborted', 'it is ended')
      const row = await world.row(caller)
      assert.deepEqual([row['model'], row['fallback']], [pair.first, 0])
      assertPaid(row, attemptsOf(row)[1])
    })
  }

  test('that has content is not asked for again', async () => {
    const { route, first, second } = world.pair('openai')
    world.simulator.script(first, [{ stream: { steps: [{ play: 'first' }, 'stall', { play: 'done' }] } }])
    const caller = world.ask({ model: route })
    await world.simulator.stalled()
    await until(() => caller.said() !== '' || asked(world, second).length > 0, 'content is out, or it was late')
    const before = asked(world, second).length
    for (let turn = 0; turn < 20; turn += 1) await world.get('/healthz')
    assert.equal(asked(world, second).length, before)
    world.simulator.resume()
    await caller.ended
    await world.nothingRuns()
  })
})

describe('a caller who leaves while two are asked', () => {
  const cases: [string, Family, boolean][] = [
    ['a whole answer', 'openai', false],
    ['a stream', 'openai', true],
    ['a stream of which the input was counted', 'anthropic', true],
  ]
  for (const [what, family, isStream] of cases) {
    test(`ends both: ${what}`, async () => {
      const pair = world.pair(family)
      world.simulator.script(pair.first, [isStream ? { stream: { steps: STALL } } : { behaviour: 'hang' }])
      world.simulator.script(pair.second, [{ behaviour: 'hang' }])
      const caller = world.ask({ model: pair.route, stream: isStream })
      caller.answered.catch(() => undefined)
      await bothAsked(world, pair)
      if (isStream) await world.simulator.stalled()
      await world.leave(caller)
      for (const model of [pair.first, pair.second]) {
        await until(() => world.callOf(model).outcome === 'aborted', `${model} is ended`)
      }
      const row = await world.newestRow()
      assert.deepEqual([row.status, row.code], [499, 'caller_left'])
      assert.deepEqual(
        attemptsOf(row).map(({ code }) => code),
        ['caller_left', 'caller_left'],
      )
      assert.equal(row['cost_picodollars'] !== null, family === 'anthropic')
    })
  }
})

describe('money', () => {
  test('a hard budget is never exceeded by calls that are hedged together', async () => {
    const pair = world.pair('openai')
    const usd = 0.005
    const limited = await newKey(world, { budget: { usd: String(usd), per: 'day', mode: 'hard' } as never })
    world.simulator.script(
      pair.first,
      Array.from({ length: 40 }, (_, call) => (call % 3 === 2 ? undefined : { delayMs: 300 })),
    )
    // None is answered before all are admitted or refused, so that not all of them fit.
    world.simulator.hold()
    let refused = 0
    const answering = Array.from({ length: 40 }, async () => {
      const answer = await world.chat(small(pair.route), limited.headers)
      if (answer.status !== 200) refused += 1
      return answer
    })
    await until(() => refused + asked(world, pair.first).length === 40, 'all have arrived')
    world.simulator.release()
    const answers = await Promise.all(answering)
    const rows = (await world.rows()).filter((row) => row['key_id'] === limited.id)
    const spent = rows.reduce((sum, row) => sum + Number(row['cost_picodollars'] ?? 0), 0)
    assert.ok(spent > 0 && spent <= usd * 1e12, String(spent))
    assert.ok(
      rows.some((row) => String(row['attempts']).includes('hedge_lost')),
      'some were hedged',
    )
    assert.ok(
      answers.some(({ status }) => status === 402 || status === 429),
      'some did not fit',
    )
    for (const row of rows) {
      assert.ok(
        Number(row['cost_most_picodollars'] ?? row['cost_picodollars'] ?? 0) <= Number(row['hold_picodollars'] ?? 0),
        JSON.stringify(row),
      )
    }
  })

  test('what does not suffice for two is spent on one after the other', async () => {
    const pair = world.pair('openai')
    const one = await world.rowOf(await world.chat(small(pair.route)))
    const single = Number(one['hold_picodollars']) / 2
    const usd = (single * 1.5) / 1e12
    const limited = await newKey(world, { budget: { usd: usd.toFixed(6), per: 'day', mode: 'hard' } as never })
    world.simulator.reset()
    world.simulator.hold()
    const answering = world.chat(small(pair.route), limited.headers)
    await until(() => asked(world, pair.first).length === 1, 'the first is asked')
    for (let turn = 0; turn < 20; turn += 1) await world.get('/healthz')
    world.simulator.release()
    const row = await world.rowOf(await answering)
    assert.deepEqual([row.status, row['model']], [200, pair.first])
    assert.ok(attemptsOf(row).every(({ model }) => model === pair.first))
    assert.ok(Number(row['hold_picodollars']) <= usd * 1e12)
    assert.equal(asked(world, pair.second).length, 0)
  })

  test('every row costs what its tokens, its price and the one that lost say', async () => {
    await world.nothingRuns()
    const { differences, rows } = await checkLog(world.gateway.store.db, {
      from: null,
      after: null,
      isEnough: () => false,
    })
    assert.deepEqual(differences, [])
    assert.ok(rows > 10)
  })
})

describe('a chain of three', () => {
  test('asks a third one in place of a second that failed, never more than two at once', async () => {
    const name = (place: number) => ({ provider: 'openai', model: `three-${place}`, retries: 0 })
    const chain = [{ ...name(1), hedge_after_ms: 1 }, name(2), name(3)]
    assert.equal((await manage('PUT', '/routes/three', { chain })).status, 201)
    world.simulator.script('three-1', [{ behaviour: 'hang' }])
    world.simulator.script('three-2', [{ status: 500 }])
    const row = await world.rowOf(await world.chat(small('three')))
    assert.deepEqual(
      attemptsOf(row).map(({ model, code }) => [model, code]),
      [
        ['three-1', 'hedge_lost'],
        ['three-2', 'upstream_error'],
        ['three-3', null],
      ],
    )
    assert.equal(row['cost_picodollars'], null, 'no price is known')
  })

  test('hedges the members of a group with each other, and explain holds for two', async () => {
    const pair = world.pair('openai')
    const members = [
      { provider: 'openai', model: pair.first },
      { provider: 'anthropic', model: pair.second },
    ]
    const group = { balance: 'weighted', hedge_after_ms: 1, members }
    await manage('PUT', '/routes/hedged-group', { chain: [group] })
    const explained = (await manage('POST', '/routes/hedged-group/explain', small('hedged-group'))).json
    const holds = explained.entries.map(({ hold_usd }: Json) => Number(hold_usd))
    assert.ok(Math.abs(Number(explained.hold_usd) - (holds[0] + holds[1])) < 1e-12, JSON.stringify(explained))
    for (const { model } of members) world.simulator.script(model, [{ delayMs: 300 }])
    world.simulator.hold()
    const answering = world.chat(small('hedged-group'))
    await bothAsked(world, pair)
    world.simulator.release()
    const row = await world.rowOf(await answering)
    assert.equal(attemptsOf(row).length, 2)
  })
})

describe('a provider that bills to the end', () => {
  const WINNER: StreamStep[] = [{ play: 'first' }, 'stall', { play: 'content' }, 'stall', { play: 'done' }]

  test('is read to the end while the other answers, and its count is what it cost', async () => {
    const pair = draining.pair('openai')
    draining.simulator.script(pair.first, [{ stream: { steps: STALL } }])
    draining.simulator.script(pair.second, [{ stream: { steps: WINNER } }])
    const caller = draining.ask({ model: pair.route, max_tokens: 100 })
    await bothAsked(draining, pair)
    await draining.simulator.stalled(2)
    await until(() => caller.said() !== '', 'the second has content')
    draining.simulator.resume()
    await until(() => draining.callOf(pair.first).outcome === 'answered', 'the first is read to its end')
    for (let turn = 0; turn < 5; turn += 1) await draining.get('/healthz')
    await draining.simulator.stalled()
    draining.simulator.resume()
    assert.equal(await caller.ended, true)
    const row = await draining.row(caller)
    const [lost] = attemptsOf(row)
    assertPaid(row, lost)
    assert.deepEqual([row['model'], lost.usageSource, row['cost_most_picodollars']], [pair.second, 'provider', null])
  })

  test('is ended with the call, and costs most likely as much as the answer that came', async () => {
    const pair = draining.pair('openai')
    draining.simulator.script(pair.first, [{ stream: { steps: STALL } }])
    const caller = draining.ask({ model: pair.route, max_tokens: 100 })
    assert.equal(await caller.ended, true)
    await draining.nothingRuns()
    const row = await draining.row(caller)
    const [lost] = attemptsOf(row)
    assertPaid(row, lost)
    assert.ok(Number(lost.costPicodollars) >= Number(row['completion_tokens']) * 5e6)
  })
})
