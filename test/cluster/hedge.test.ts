import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { billOf, picodollars, priceText } from '../crash/prices.ts'
import { type Json, until } from '../harness.ts'
import { ask, hard } from '../limits/limited.ts'
import { startCluster } from './cluster.ts'
import { startSampling } from './sample.ts'

const EAST = 'openai, model: gpt-east'
const WEST = 'anthropic, model: claude-west'
const MODELS = ['claude-west', 'gpt-east']
/** Every answer costs as much as was held for it. */
const DEAR = { exactUsage: { prompt: JSON.stringify(ask('hedged')).length, completion: 100 }, thinkingTokens: 0 }
const CONFIG = `
workspaces:
  default:
    routes:
      hedged: { chain: [{ balance: weighted, hedge_after_ms: 1, members: [{ provider: ${EAST}, retries: 0 }, { provider: ${WEST}, retries: 0 }] }] }
registry:
${priceText(EAST)}${priceText(WEST)}`

const cluster = await startCluster({ nodes: 2, config: CONFIG })
const { simulator, nodes, front } = cluster
after(() => cluster.stop())

const LIMIT = picodollars('0.012')
const CALLS = 120

test('hedged calls over two gateways stay within a hard budget; rows have both attempts and both costs', async () => {
  const key = await newKey()
  // Both members are late, so that both are asked; one of three comes in time to win.
  for (const model of MODELS) {
    simulator.script(
      model,
      Array.from({ length: CALLS }, (_, call) => ({ delayMs: call % 3 === 2 ? 40 : 250, tweak: DEAR })),
    )
  }
  const billed = () => billOf(simulator.bill)
  const sampling = startSampling(cluster, { limits: new Map([[key.id, LIMIT]]), billed, everyMs: 20 })
  // With many calls at once one node may have all the money before the other begins: each hedges once before that.
  const alone = []
  for (const { url } of nodes) alone.push(await chat(key.value, url))
  const crowd = await Promise.all(Array.from({ length: CALLS - nodes.length }, () => chat(key.value, front.url)))
  const statuses = [...alone, ...crowd]
  for (const { source, spent, held, billed } of await sampling.stop()) {
    const parts = `${source} said ${spent} spent and ${held} held`
    assert.ok(spent + held <= LIMIT, `${parts} of ${LIMIT}`)
    assert.ok(spent + held >= (billed ?? 0n), `${parts}; ${billed} were billed`)
  }
  assert.ok(billed() > 0n)
  assert.deepEqual([...new Set(statuses)].sort(), [200, 402])

  const rows = await rowsOf(key.id)
  const spent = rows.reduce((sum, row) => sum + row.cost, 0n)
  assert.ok(spent > 0n && spent <= LIMIT, `${spent} of ${LIMIT}`)
  assert.equal(rows.filter(({ status }) => status === 200).length, statuses.filter((status) => status === 200).length)
  const hedged = rows.filter(({ attempts }) => attempts.some(({ code }) => code === 'hedge_lost'))
  assert.equal(new Set(hedged.map(({ node }) => node)).size, 2, 'both nodes have hedged')
  for (const { id, attempts, cost, own, hold } of hedged) {
    const lost = attempts.find(({ code }) => code === 'hedge_lost')
    assert.deepEqual(attempts.map(({ model }) => model).sort(), MODELS, id)
    assert.ok(BigInt(lost?.costPicodollars) > 0n, id)
    assert.equal(cost, own + BigInt(lost?.costPicodollars), id)
    assert.ok(cost <= hold, id)
  }
  for (const { name, manage } of nodes) {
    const { json } = await manage('POST', '/verify')
    assert.deepEqual([json.differences, json.rows.differences, json.busy], [[], [], 0], name)
  }
})

/** Known to every node by the time it is handed out. */
async function newKey(): Promise<{ id: string; value: string }> {
  const { json } = (await nodes[0]?.manage('POST', '/keys', { name: 'hedging', limits: hard(LIMIT) })) ?? {}
  const headers = { authorization: `Bearer ${json.value}` }
  for (const { url, name } of nodes) {
    await until(async () => (await fetch(`${url}/v1/models`, { headers })).status === 200, `${name} knows the key`)
  }
  return json
}

async function chat(key: string, url: string): Promise<number> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(ask('hedged')),
  })
  await response.arrayBuffer()
  return response.status
}

/** Once all of them are closed. `own`: what the tokens of the row cost. */
async function rowsOf(key: string) {
  const client = new pg.Client({ connectionString: cluster.databaseUrl })
  await client.connect()
  try {
    const read = async () => (await client.query('select * from requests where key_id = $1', [key])).rows as Json[]
    await until(async () => (await read()).filter(({ state }) => state === 'closed').length === CALLS, 'all are logged')
    return (await read()).map((row) => ({
      id: String(row.id),
      node: String(row.node),
      status: Number(row.status),
      attempts: JSON.parse(row.attempts) as Json[],
      cost: BigInt(row.cost_picodollars ?? 0),
      own: BigInt(row.prompt_tokens ?? 0) * 1_000_000n + BigInt(row.completion_tokens ?? 0) * 5_000_000n,
      hold: BigInt(row.hold_picodollars ?? 0),
    }))
  } finally {
    await client.end()
  }
}
