import assert from 'node:assert/strict'
import { after, afterEach, beforeEach, describe, test } from 'node:test'
import type { Limits } from '../../src/domain/limits.ts'
import { billOf, picodollars } from '../crash/prices.ts'
import { until } from '../harness.ts'
import { ask, CONFIG, hard, holdOfAsk } from '../limits/limited.ts'
import { startCluster } from './cluster.ts'
import { readSpent } from './evidence.ts'
import { startSampling } from './sample.ts'

const cluster = await startCluster({ nodes: 3, config: CONFIG })
const { simulator, nodes, front } = cluster
after(() => cluster.stop())
beforeEach(() => simulator.reset())
afterEach(() => simulator.release())

const HOLD = holdOfAsk('plain')
const CALLS = 500

interface Key {
  id: string
  value: string
}

let keys = 0

/** Known to every node by the time it is handed out. */
async function newKey(limits: Limits | null, workspace = 'default'): Promise<Key> {
  const { manage } = nodes[0]!
  const made = await manage('POST', `/keys?workspace=${workspace}`, { name: `cluster-${++keys}`, limits })
  assert.equal(made.status, 201, made.text)
  const headers = { authorization: `Bearer ${made.json.value}` }
  for (const { url, name } of nodes) {
    await until(async () => (await fetch(`${url}/v1/models`, { headers })).status === 200, `${name} knows the key`)
  }
  return made.json
}

async function chat({ value }: Key): Promise<number> {
  const response = await fetch(`${front.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${value}`, 'content-type': 'application/json' },
    body: JSON.stringify(ask('plain')),
  })
  await response.arrayBuffer()
  return response.status
}

/** So many calls at once; the provider answers none of them before all have been admitted or refused. */
async function atOnce(key: Key, calls: number): Promise<Record<number, number>> {
  simulator.hold()
  const before = upstreamCalls()
  const counts: Record<number, number> = {}
  let refused = 0
  const all = Array.from({ length: calls }, async () => {
    const status = await chat(key)
    counts[status] = (counts[status] ?? 0) + 1
    if (status !== 200) refused++
  })
  await until(() => refused + upstreamCalls() - before === calls, 'all have arrived')
  simulator.release()
  await Promise.all(all)
  return counts
}

function upstreamCalls(): number {
  return simulator.calls.filter((call) => call.method === 'POST').length
}

/** All nodes say the same of the key, which is the sum of its rows; every counter of every node equals the log. */
async function assertOneTruth(key: Key): Promise<bigint> {
  for (const { name, manage } of nodes) {
    const verified = await manage('POST', '/verify')
    assert.equal(verified.status, 200, verified.text)
    assert.deepEqual([verified.json.differences, verified.json.busy], [[], 0], name)
  }
  const spent = await readSpent(cluster.databaseUrl, key.id)
  for (const { name, manage } of nodes) {
    const { json } = await manage('GET', '/budgets?limit=100')
    const own = json.data.find(({ id }: { id: string }) => id === key.id)
    assert.equal(own.periods.total.held_usd, '0', name)
    assert.equal(picodollars(own.periods.total.spent_usd), spent, name)
  }
  return spent
}

async function isNothingHeld({ id }: Key): Promise<boolean> {
  const { json } = await nodes[0]!.manage('GET', '/budgets?limit=100')
  return json.data.find((each: { id: string }) => each.id === id).periods.total.held_usd === '0'
}

async function sampled<T>(key: Key, limit: bigint, work: () => Promise<T>): Promise<T> {
  const billed = () => billOf(simulator.bill)
  const sampling = startSampling(cluster, { limits: new Map([[key.id, limit]]), billed, everyMs: 20 })
  const result = await work()
  const samples = await sampling.stop()
  assert.ok(new Set(samples.map(({ source }) => source)).size === 4, 'the log and three nodes were asked')
  for (const { source, spent, held, billed } of samples) {
    const parts = `${source} said ${spent} spent and ${held} held`
    assert.ok(spent + held <= limit, `${parts} of ${limit}`)
    assert.ok(spent + held >= (billed ?? 0n), `${parts}; ${billed} were billed`)
  }
  return result
}

describe('a hard budget of several gateways', () => {
  test('for 37 calls: of 500 at once, 37 are served, 463 get 402, and the provider sees 37', async () => {
    const limit = 38n * HOLD - 1n
    const key = await newKey(hard(limit))
    const sentBefore = [...front.sent]
    const counts = await sampled(key, limit, () => atOnce(key, CALLS))
    assert.deepEqual(counts, { 200: 37, 402: 463 })
    assert.equal(upstreamCalls(), 37)
    for (const [place, sent] of front.sent.entries()) {
      assert.ok(sent - (sentBefore[place] ?? 0) >= Math.floor(CALLS / nodes.length), 'every node had its share')
    }
    assert.ok((await assertOneTruth(key)) > 0n)
  })

  test('is used up to the last hold by callers that go on until they are refused, and never exceeded', async () => {
    const limit = 20n * HOLD
    const key = await newKey(hard(limit))
    await sampled(key, limit, async () => {
      const callers = Array.from({ length: 24 }, async () => {
        while ((await chat(key)) === 200);
      })
      await Promise.all(callers)
      // A node reports the unused part of a hold a moment after the answer.
      do await until(() => isNothingHeld(key), 'nothing is held')
      while ((await chat(key)) === 200)
    })
    const spent = await assertOneTruth(key)
    assert.ok(spent <= limit && spent + HOLD > limit, `${spent} of ${limit}`)
  })

  test('of a workspace binds all of its keys together', async () => {
    const { manage } = nodes[0]!
    assert.equal((await manage('POST', '/workspaces', { name: 'tight', limits: hard(15n * HOLD) })).status, 201)
    const chain = [{ provider: 'openai', model: 'gpt-plain' }]
    assert.ok((await manage('PUT', '/routes/plain?workspace=tight', { chain })).status < 300)
    const [one, other] = [await newKey(null, 'tight'), await newKey(null, 'tight')]
    let turn = 0
    simulator.hold()
    const counts: Record<number, number> = {}
    const all = Array.from({ length: 120 }, async () => {
      const status = await chat(turn++ % 2 === 0 ? one : other)
      counts[status] = (counts[status] ?? 0) + 1
    })
    await until(() => (counts[402] ?? 0) + upstreamCalls() === 120, 'all have arrived')
    simulator.release()
    await Promise.all(all)
    assert.deepEqual(counts, { 200: 15, 402: 105 })
  })
})

describe('the other limits of several gateways', () => {
  test('rpm: of 150 calls at once, 40 are served', async () => {
    const key = await newKey({ rpm: 40 })
    assert.deepEqual(await atOnce(key, 150), { 200: 40, 429: 110 })
    assert.equal(upstreamCalls(), 40)
    await assertOneTruth(key)
  })

  test('max_parallel: seven run at a time, and seven more when they have ended', async () => {
    const key = await newKey({ max_parallel: 7 })
    assert.deepEqual(await atOnce(key, 60), { 200: 7, 429: 53 })
    assert.deepEqual(await atOnce(key, 60), { 200: 7, 429: 53 })
    assert.equal(upstreamCalls(), 14)
    await assertOneTruth(key)
  })
})
