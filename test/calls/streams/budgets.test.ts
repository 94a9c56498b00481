import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { StreamStep } from '../../../simulator/simulator.ts'
import { ADMIN_KEY, type Row, until } from '../../harness.ts'
import { newKey } from '../../limits/limited.ts'
import { managing } from '../../management/manage.ts'
import { FLOOD, startWorld, streamConfig, type World } from './world.ts'

const world: World = await startWorld()
after(() => world.stop())

const holding: World = await startWorld({
  config: streamConfig('', 'providers: { openai: { on_estimate: hold } }'),
})
after(() => holding.stop())

const STALL: StreamStep[] = [{ play: 'first' }, 'stall', { play: 'done' }]

describe('a provider whose estimates are booked with their hold', () => {
  const figures = ({ usage_source: source, hold_picodollars, cost_picodollars, cost_most_picodollars }: Row) => ({
    source,
    hold: Number(hold_picodollars),
    cost: Number(cost_picodollars),
    most: Number(cost_most_picodollars),
  })
  const limitedKey = () => newKey(holding, { budget: { usd: '1', per: 'day', mode: 'hard' } as never })

  test('a stream that was cut costs what was held for it, and its row and explanation say so', async () => {
    const { route, first } = holding.pair('openai')
    holding.simulator.script(first, [{ stream: { steps: [{ play: 'first' }, 'cut'] } }])
    const { headers } = await limitedKey()
    const caller = holding.ask({ model: route }, { headers })
    await caller.ended
    const row = await holding.row(caller)
    const { source, hold, cost, most } = figures(row)
    assert.ok(hold > 0, JSON.stringify(row))
    assert.deepEqual([source, cost, most], ['estimated', hold, hold])
    assert.ok(Number(row['cost_least_picodollars']) < hold)
    const admin = { authorization: `Bearer ${ADMIN_KEY}` }
    const { json } = await holding.get(`/requests/${row.id}/explain`, admin)
    assert.match(json.cost_lines.join(), /did not count the tokens to the end: what was held for it is booked/)
    const { json: verified } = await managing(() => holding)('POST', '/verify')
    assert.deepEqual(verified.differences, [])
  })

  test('a whole answer without a count too, and what the provider has counted is never more than that', async () => {
    const { route, first } = holding.pair('openai')
    const { chat, headers } = await limitedKey()
    const choices = [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }]
    holding.simulator.script(first, [
      { body: { id: 'x', object: 'chat.completion', created: 1, model: first, choices } },
    ])
    const uncounted = figures(await holding.rowOf(await chat(route)))
    assert.deepEqual([uncounted.source, uncounted.cost], ['estimated', uncounted.hold])
    const caller = holding.ask({ model: route }, { headers })
    await caller.ended
    const counted = figures(await holding.row(caller))
    assert.equal(counted.source, 'provider')
    assert.ok(counted.cost < counted.hold)
  })
})

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
