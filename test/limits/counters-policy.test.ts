import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, describe, test } from 'node:test'
import { type Answered, type Harness, newFolder, startHarness, until } from '../harness.ts'
import { managing } from '../management/manage.ts'
import { startPostgres } from '../postgres.ts'
import { startValkey } from '../valkey.ts'
import { ask, CONFIG, hard, holdOfAsk, newKey, statuses, statusOf } from './limited.ts'

const HOLD = holdOfAsk('plain')
const postgres = await startPostgres()
const valkey = await startValkey({ appendOnly: true, password: 'not-so-secret' })
const DATABASE_URL = await postgres.createDatabase()
const folders: string[] = []
const nodes: Record<'usual' | 'refusing' | 'allowing', Harness> = {
  usual: await startNode({}),
  refusing: await startNode({ LIMITS_WHEN_DOWN: 'refuse' }),
  allowing: await startNode({ LIMITS_WHEN_DOWN: 'allow' }),
}
after(async () => {
  await valkey.resume().catch(() => {})
  for (const node of Object.values(nodes)) await node.stop()
  await valkey.stop()
  await postgres.stop()
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

async function startNode(environment: Record<string, string>): Promise<Harness> {
  const folder = newFolder()
  folders.push(folder)
  const shared = { DATABASE_URL, REDIS_URL: `${valkey.url}/3`, SECRETS_KEY: 'sixteen-characters-and-more' }
  return startHarness({ config: CONFIG, folder, environment: { ...shared, ...environment } })
}

/** What every node's /readyz says of the counters; all are asked at once. */
async function counters(): Promise<string[]> {
  const answers = await Promise.all(Object.values(nodes).map((node) => node.get('/readyz')))
  return answers.map((answer) => `${answer.status} ${answer.json.limits.kind} ${answer.json.limits.up}`)
}

async function backInUse(): Promise<void> {
  const all = ['200 counters true', '200 counters true', '200 counters true']
  await until(async () => JSON.stringify(await counters()) === JSON.stringify(all), 'the counters are in use again')
}

async function assertAllVerified(): Promise<void> {
  for (const node of Object.values(nodes)) {
    const { json } = await managing(() => node)('POST', '/verify')
    assert.deepEqual(json.differences, [])
    assert.ok(json.checked > 0)
  }
}

/** A key is known to every node. */
async function keyEverywhere(limits: Parameters<typeof newKey>[1]) {
  const key = await newKey(nodes.usual, limits)
  for (const node of Object.values(nodes)) {
    await until(async () => (await node.get('/v1/models', key.headers)).status === 200, 'the key is known')
  }
  return {
    ...key,
    chatAt: (node: Harness): Promise<Answered> => node.chat(ask('plain'), key.headers),
  }
}

test('200 calls at once over all nodes against a hard budget for 37: exactly 37 are answered', async () => {
  const key = await keyEverywhere(hard(38n * HOLD - 1n))
  const all = Object.values(nodes)
  for (const node of all) node.simulator.hold()
  let refused = 0
  const calls = Array.from({ length: 200 }, async (_, call) => {
    const answer = await key.chatAt(all[call % 3] ?? nodes.usual)
    if (answer.status === 402) refused++
    return answer
  })
  const upstream = () => all.reduce((sum, node) => sum + node.upstream().length, 0)
  await until(() => refused === 163 && upstream() === 37, 'all have arrived')
  assert.equal((await statusOf(nodes.refusing, key.scope)).periods.total.held, 37n * HOLD)
  for (const node of all) node.simulator.release()
  assert.deepEqual(statuses(await Promise.all(calls)), { 200: 37, 402: 163 })
  await until(async () => (await statusOf(nodes.usual, key.scope)).periods.total.held === 0n, 'nothing is held')
  await assertAllVerified()
})

describe('while the counters are away', () => {
  const table: [node: keyof typeof nodes, limits: 'hard' | 'rates' | 'none', expected: string][] = [
    ['usual', 'hard', '503 limits_unavailable'],
    ['usual', 'rates', '200 unchecked'],
    ['usual', 'none', '200'],
    ['refusing', 'hard', '503 limits_unavailable'],
    ['refusing', 'rates', '503 limits_unavailable'],
    ['refusing', 'none', '200'],
    ['allowing', 'hard', '200 unchecked'],
    ['allowing', 'rates', '200 unchecked'],
    ['allowing', 'none', '200'],
  ]

  test('the policy of the node says what happens, and afterwards every call is booked', async () => {
    const keys = {
      hard: await keyEverywhere(hard(1_000n * HOLD)),
      rates: await keyEverywhere({ rpm: 1_000 }),
      none: await keyEverywhere(null),
    }
    await valkey.halt()
    await until(async () => (await counters()).every((text) => text === '200 counters false'), 'all have noticed')
    for (const [node, limits, expected] of table) {
      const answer = await keys[limits].chatAt(nodes[node])
      const said = answer.json.error?.code ?? answer.headers.get('x-gateway-limits')
      assert.equal([answer.status, ...(said === null ? [] : [said])].join(' '), expected, `${node} ${limits}`)
      if (answer.status === 503) assert.equal(answer.headers.get('retry-after'), '2')
    }
    const budgets = await managing(() => nodes.usual)('GET', '/budgets')
    assert.deepEqual([budgets.status, budgets.json.error.code], [503, 'limits_unavailable'])
    const metrics = await nodes.usual.get('/metrics')
    assert.match(metrics.text, /^switchyard_counters_up 0$/m)
    assert.match(metrics.text, /^switchyard_limits_unchecked_total 1$/m)
    assert.match(metrics.text, /^switchyard_limits_refused_total 1$/m)

    await valkey.resume()
    await backInUse()
    const requests = async (limits: keyof typeof keys) =>
      (await statusOf(nodes.usual, keys[limits].scope)).requestsLastMinute
    await until(
      async () => (await requests('hard')) === 1 && (await requests('rates')) === 2 && (await requests('none')) === 3,
      'they are booked',
    )
    await assertAllVerified()
    assert.equal((await keys.hard.chatAt(nodes.usual)).status, 200)
  })

  test('a second of silence stops no call under a hard budget', async (t) => {
    const key = await keyEverywhere(hard(10_000n * HOLD))
    for (let call = 0; call < 50; call++) assert.equal((await key.chatAt(nodes.usual)).status, 200)
    let isAway = true
    valkey.freeze()
    t.after(() => valkey.wake())
    setTimeout(() => {
      valkey.wake()
      isAway = false
    }, 1_000)
    let served = 0
    for (; isAway; served++) assert.equal((await key.chatAt(nodes.usual)).status, 200)
    assert.ok(served > 1, 'calls were made meanwhile')
    await backInUse()
    await assertAllVerified()
  })

  test('what is leased serves on under a hard budget, and no more than that; all of it is booked afterwards', async () => {
    const key = await keyEverywhere(hard(1_000n * HOLD))
    assert.equal((await key.chatAt(nodes.usual)).status, 200)
    await valkey.halt()
    await until(async () => (await counters())[0] === '200 counters false', 'the node has noticed')
    let served = 1
    let last = await key.chatAt(nodes.usual)
    for (; last.status === 200; last = await key.chatAt(nodes.usual)) served++
    assert.equal(last.json.error.code, 'limits_unavailable')
    assert.ok(served > 2, 'a lease is for two calls at least')
    await valkey.resume()
    await backInUse()
    const rows = (await nodes.usual.rows()).filter((row) => row['key_id'] === key.id && row['status'] === 200)
    const cost = rows.reduce((sum, row) => sum + BigInt(Number(row['cost_picodollars'])), 0n)
    assert.equal(rows.length, served)
    await until(async () => (await statusOf(nodes.usual, key.scope)).periods.total.spent === cost, 'all is booked')
    await assertAllVerified()
  })
})

test('counters that lost their memory are rebuilt from the log, and no budget is exceeded meanwhile', async () => {
  const key = await keyEverywhere(hard(5n * HOLD))
  assert.equal((await key.chatAt(nodes.usual)).status, 200)
  const before = await statusOf(nodes.usual, key.scope)
  for (const node of Object.values(nodes)) node.simulator.hold()
  const running = key.chatAt(nodes.refusing)
  await until(async () => (await statusOf(nodes.usual, key.scope)).inFlight === 1, 'one runs')
  await valkey.wipe()
  await until(async () => {
    const answer = await nodes.allowing.chat(ask('plain'), { authorization: 'Bearer nobody' })
    assert.equal(answer.status, 401)
    return (await counters()).every((text) => text === '200 counters true') && (await isKnown())
  }, 'they are rebuilt')
  async function isKnown(): Promise<boolean> {
    const status = await statusOf(nodes.usual, key.scope).catch(() => null)
    return status?.inFlight === 1
  }
  const rebuilt = await statusOf(nodes.usual, key.scope)
  assert.deepEqual(rebuilt.periods.total, { ...before.periods.total, held: HOLD })
  for (const node of Object.values(nodes)) node.simulator.release()
  assert.equal((await running).status, 200)
  await assertAllVerified()
})
