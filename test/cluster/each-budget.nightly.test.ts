import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { billOf } from '../crash/prices.ts'
import { until } from '../harness.ts'
import { ask, CONFIG, holdOfAsk, usd } from '../limits/limited.ts'
import { seedOr } from '../property.ts'
import { startCluster } from './cluster.ts'

const cluster = await startCluster({ nodes: 3, config: CONFIG, environment: { LEASE_SECONDS: '2' } })
const { simulator, nodes, front, databaseUrl } = cluster

/** Slow, so that a gateway that is killed is serving some of them. */
const MODEL = 'slow'
const HOLD = holdOfAsk(MODEL)
const AGENTS = 300
/** The first of them start the others. */
const TOPS = 10
const SESSION = 60n * HOLD
const RAISE = 10n * HOLD
const AGENT = 5n * HOLD
/** Calls that each agent tries. */
const TRIES = 4

/** The same every time, so that a failure can be looked at. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state / 2 ** 31
  }
}

const random = randomFrom(seedOr(20_261_119))
const sessionBudget = { each: 'session', usd: usd(SESSION), per: 'total', mode: 'hard' }
const agentBudget = { each: 'agent', usd: usd(AGENT), per: 'total', mode: 'hard' }

async function newKey(): Promise<{ id: string; headers: Record<string, string> }> {
  const limits = { budgets: [sessionBudget, agentBudget] }
  const made = await nodes[0]!.manage('POST', '/keys?workspace=default', { name: 'night', limits })
  assert.equal(made.status, 201, made.text)
  const headers = { authorization: `Bearer ${made.json.value}` }
  for (const { url, name } of nodes) {
    await until(async () => (await fetch(`${url}/v1/models`, { headers })).status === 200, `${name} knows the key`)
  }
  return { id: made.json.id, headers }
}

const parentOf = (agent: number) => (agent < TOPS ? null : agent % TOPS)

/** The status; 0: cut off by this caller or by the death of a node. */
async function call(headers: Record<string, string>, agent: number | null, isCut = false): Promise<number> {
  const parent = agent === null ? null : parentOf(agent)
  const names = {
    'x-gateway-session': 'night',
    ...(agent !== null && { 'x-gateway-agent': `agent-${agent}` }),
    ...(parent !== null && { 'x-gateway-parent': `agent-${parent}` }),
  }
  const leaving = new AbortController()
  if (isCut) setImmediate(() => leaving.abort())
  try {
    const response = await fetch(`${front.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { ...headers, ...names, 'content-type': 'application/json' },
      body: JSON.stringify(ask(MODEL)),
      signal: leaving.signal,
    })
    await response.arrayBuffer()
    return response.status
  } catch {
    return 0
  }
}

interface LoggedCall {
  agent: string | null
  counted: string
}

const log = new pg.Client({ connectionString: databaseUrl })
await log.connect()
after(async () => {
  await log.end()
  await cluster.stop()
})

async function rows(keyId: string): Promise<LoggedCall[]> {
  const found = await log.query<LoggedCall>(
    `select agent, (coalesce(cost_picodollars, 0) + coalesce(unconfirmed_counted_picodollars, 0))::text as counted
      from requests where key_id = $1 and state = 'closed'`,
    [keyId],
  )
  return found.rows
}

const sumOf = (calls: readonly LoggedCall[]) => calls.reduce((sum, { counted }) => sum + BigInt(counted), 0n)

/** No agent has spent more than its budget, with those that it started. */
function checkTrees(calls: readonly LoggedCall[]): void {
  const trees = new Map<number, bigint>()
  const add = (agent: number, counted: bigint) => trees.set(agent, (trees.get(agent) ?? 0n) + counted)
  for (const { agent, counted } of calls) {
    if (agent === null) continue
    const number = Number(agent.slice('agent-'.length))
    add(number, BigInt(counted))
    const parent = parentOf(number)
    if (parent !== null) add(parent, BigInt(counted))
  }
  for (const [agent, spent] of trees) assert.ok(spent <= AGENT, `agent ${agent}: ${spent} of ${AGENT}`)
}

test(`${AGENTS} sub-agents over three gateways, with cuts, kills and a raise: no budget is exceeded, nothing is stranded`, async () => {
  const key = await newKey()
  let limit = SESSION
  let isRunning = true
  const sampling = (async () => {
    let samples = 0
    while (isRunning) {
      // The limit as it was before the look: a raise only adds.
      const billed = billOf(simulator.bill)
      assert.ok(billed <= limit, `${billed} billed of ${limit}`)
      checkTrees(await rows(key.id))
      samples++
    }
    return samples
  })()
  const counts: Record<number, number> = {}
  const count = (status: number) => {
    counts[status] = (counts[status] ?? 0) + 1
  }
  const agents = Array.from({ length: AGENTS }, async (_, agent) => {
    for (let tries = 0; tries < TRIES; tries++) count(await call(key.headers, agent, random() < 0.1))
  })
  const strikes = (async () => {
    await until(() => (counts[200] ?? 0) >= 20, 'some are served')
    for (const place of [1, 0]) {
      await nodes[place]!.kill()
      await nodes[place]!.start()
    }
    limit += RAISE
    const body = { key: key.id, each: 'session', value: 'night', usd: usd(RAISE), reason: 'finish the run' }
    const raised = await nodes[2]!.manage('POST', '/raises?workspace=default', body)
    assert.equal(raised.status, 201, raised.text)
  })()
  await Promise.all([...agents, strikes])

  // On until nothing more is served: what is left then is less than a call may cost.
  let last = { spent: -1n, statuses: '' }
  const isUsedUp = async () => {
    const statuses: number[] = []
    await Promise.all(
      Array.from({ length: 12 }, async () => {
        do statuses.push(await call(key.headers, null))
        while (statuses.at(-1) === 200)
      }),
    )
    for (const status of statuses) count(status)
    const verified = await nodes[0]!.manage('POST', '/verify')
    last = { spent: sumOf(await rows(key.id)), statuses: statuses.join(' ') }
    return verified.status === 200 && last.spent + HOLD > limit
  }
  await until(isUsedUp, 'the last call that fits is served').catch((error: Error) => {
    throw new Error(`${error.message}: ${last.spent} of ${limit}, ${last.statuses}, ${JSON.stringify(counts)}`)
  })
  isRunning = false
  assert.ok((await sampling) > 10)
  assert.ok((counts[200] ?? 0) > 20 && (counts[402] ?? 0) > 0, JSON.stringify(counts))

  const calls = await rows(key.id)
  const spent = sumOf(calls)
  assert.ok(spent <= limit && spent + HOLD > limit, `${spent} of ${limit}`)
  checkTrees(calls)
})
