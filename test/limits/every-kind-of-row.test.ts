import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { inspect } from 'node:util'
import type { StreamStep } from '../../simulator/simulator.ts'
import { FREE_ENDPOINTS } from '../../src/domain/pricing/row-cost.ts'
import { ENDPOINTS } from '../../src/endpoints/endpoints.ts'
import { checkLog } from '../../src/request-log/verify/verify-log.ts'
import { startWorld, streamConfig, type World } from '../calls/streams/world.ts'
import { hello, type Json, KEY, type Row, until } from '../harness.ts'
import { managing } from '../management/manage.ts'
import { fc, seedOr } from '../property.ts'

/** Of openai estimates are booked with what was held, of anthropic they are not; the first entry of a pair is hedged. */
const world: World = await startWorld({
  config: streamConfig(', hedge_after_ms: 1', 'providers: { openai: { on_estimate: hold } }'),
})
after(() => world.stop())
const manage = managing(() => world)
await manage('PUT', '/routes/stored', {
  chain: [{ provider: 'openai', model: 'gpt-0' }],
  cache: { ttl_seconds: 7_200 },
})
await manage('PUT', '/routes/alone', { chain: [{ provider: 'openai', model: 'gpt-1', retries: 0 }] })

const long = (model: string) => hello(model, { max_tokens: 4_000 })
const UNCOUNTED = {
  ...{ id: 'x', object: 'chat.completion', created: 1, model: 'm' },
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
}
const CUT: StreamStep[] = [{ play: 'first' }, 'cut']
const STALLED: StreamStep[] = [{ play: 'first' }, 'stall', { play: 'done' }]
const SILENT: StreamStep[] = [{ play: 'start' }, 'stall', { play: 'done' }]

async function post(path: string, body: Json): Promise<number> {
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
  return (await fetch(world.url + path, { method: 'POST', headers, body: JSON.stringify(body) })).status
}

async function streamed(model: string): Promise<void> {
  await world.ask({ model, max_tokens: 4_000 }).ended
  await world.nothingRuns()
}

async function left(model: string): Promise<void> {
  const caller = world.ask({ model, max_tokens: 4_000 })
  await until(() => caller.said() !== '', 'it has content')
  await world.leave(caller)
  await world.nothingRuns()
}

const KINDS: Record<string, () => Promise<unknown>> = {
  answered: () => world.chat(long('alone')),
  'answered, price unknown': () => world.chat(long('openai/gpt-without-price')),
  embeddings: () => world.embed({ model: 'openai/text-embedding-3-small', input: 'Hi' }),
  'answered without a count': () => {
    world.simulator.script('gpt-1', [{ body: UNCOUNTED }])
    return world.chat(long('alone'))
  },
  cached: async () => {
    await world.chat(long('stored'))
    return world.chat(long('stored'))
  },
  'tokens counted': () => post('/v1/messages/count_tokens', hello('anthropic/claude-1')),
  'counting tokens refused': () => post('/v1/messages/count_tokens', { model: 'anthropic/claude-1' }),
  refused: () => world.chat(hello('nothing-of-that-name')),
  failed: () => {
    world.simulator.script('gpt-1', [{ status: 400 }])
    return world.chat(long('alone'))
  },
  'hedge, whole, the loser held': () => {
    const { route, first } = world.pair('openai')
    world.simulator.script(first, [{ behaviour: 'hang' }])
    return world.chat(long(route))
  },
  'hedge, whole, the loser estimated': () => {
    const { route, first } = world.pair('anthropic')
    world.simulator.script(first, [{ behaviour: 'hang' }])
    return world.chat(long(route))
  },
  'hedge, whole, the winner held': () => {
    const { route, first, second } = world.pair('anthropic')
    world.simulator.script(first, [{ behaviour: 'hang' }])
    world.simulator.script(second, [{ body: UNCOUNTED }])
    return world.chat(long(route))
  },
  'hedge, stream, the loser held': () => {
    const { route, first } = world.pair('openai')
    world.simulator.script(first, [{ stream: { steps: SILENT } }])
    return streamed(route)
  },
  'hedge, stream, the winner held and the loser estimated': () => {
    const { route, first, second } = world.pair('anthropic')
    world.simulator.script(first, [{ stream: { steps: SILENT } }])
    world.simulator.script(second, [{ stream: { steps: CUT } }])
    return streamed(route)
  },
  'hedge, stream, the loser held and the winner estimated': () => {
    const { route, first, second } = world.pair('openai')
    world.simulator.script(first, [{ stream: { steps: SILENT } }])
    world.simulator.script(second, [{ stream: { steps: CUT } }])
    return streamed(route)
  },
  'stream answered': () => streamed('alone'),
  'stream cut': () => {
    world.simulator.script('gpt-1', [{ stream: { steps: CUT } }])
    return streamed('alone')
  },
  'stream left': () => {
    world.simulator.script('gpt-1', [{ stream: { steps: STALLED } }])
    return left('alone')
  },
  'stream of an estimate left': () => {
    world.simulator.script('claude-1', [{ stream: { steps: STALLED } }])
    return left('anthropic/claude-1')
  },
}

test('verify is clean over rows of every kind, in any order', async () => {
  const names = Object.keys(KINDS)
  const played = [...names, ...fc.sample(fc.constantFrom(...names), { seed: seedOr(31), numRuns: names.length })]
  const wrong = new Map<string, string>()
  for (const name of played) {
    await KINDS[name]?.()
    const { json: counters } = await manage('POST', '/verify')
    const log = await checkLog(world.gateway.store.db, { from: null, after: null, isEnough: () => false })
    for (const found of [...counters.differences, ...log.differences]) {
      const text = inspect(found)
      if (!wrong.has(text)) wrong.set(text, name)
    }
  }
  assert.deepEqual([...wrong], [])
  const kindOf = (row: Row) => {
    const hedged = String(row['attempts']).includes('costPicodollars') ? 'hedged' : ''
    return [row['endpoint'], row.status, row.code, row['ended'], row['cache'], row['usage_source'], hedged]
      .join(' ')
      .trim()
  }
  assert.ok(new Set((await world.rows()).map(kindOf)).size >= 16)
})

test('an entry that lost a hedge and is booked with its hold costs its own part of it, not that of both', async () => {
  const { route, first } = world.pair('openai')
  world.simulator.script(first, [{ behaviour: 'hang' }])
  const row = await world.rowOf(await world.chat(long(route)))
  const [lost] = JSON.parse(String(row['attempts']))
  const served = Number(row['prompt_tokens']) * 1e6 + Number(row['completion_tokens']) * 5e6
  assert.equal(Number(lost.costPicodollars) * 2, Number(row['hold_picodollars']))
  assert.equal(Number(row['cost_picodollars']), served + Number(lost.costPicodollars))
})

test('the endpoints that cost nothing are those that verify takes for free', () => {
  assert.deepEqual(new Set(ENDPOINTS.filter(({ isFree }) => isFree === true).map(({ name }) => name)), FREE_ENDPOINTS)
})
