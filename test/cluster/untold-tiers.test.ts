import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { hello, until } from '../harness.ts'
import { hard } from '../limits/limited.ts'
import { startCluster } from './cluster.ts'
import { readSpent } from './evidence.ts'

/** Ten prompt tokens and a thousand of the answer, at twice the price where the account says so. */
const AT_LIST = 601_500_000n
const DEAREST = 1_203_000_000n
const models = ['first', 'second'].map((name) => `gpt-${name}-sim-big-usage-10-1000`)
const CONFIG = `
providers:
  local: { family: openai, base_url: "\${OPENAI_BASE_URL}", api_key: sk-local-key }
workspaces:
  default:
    routes:
${models.map((model, place) => `      local-${place}: { chain: [{ provider: local, model: ${model}, retries: 0 }] }`).join('\n')}
registry:
${models.map((model) => `  - { provider: local, model: ${model}, input_per_mtok: "0.15", output_per_mtok: "0.6" }`).join('\n')}
`
const cluster = await startCluster({ nodes: 2, config: CONFIG })
const { simulator, nodes, front } = cluster
after(() => cluster.stop())
beforeEach(() => simulator.reset())

let keys = 0

/** Known to every node by the time it is handed out. */
async function newKey(limit: bigint): Promise<{ id: string; value: string }> {
  const made = await nodes[0]?.manage('POST', '/keys', { name: `untold-${++keys}`, limits: hard(limit) })
  assert.equal(made?.status, 201, made?.text)
  const headers = { authorization: `Bearer ${made?.json.value}` }
  for (const { url, name } of nodes) {
    await until(async () => (await fetch(`${url}/v1/models`, { headers })).status === 200, `${name} knows the key`)
  }
  return made?.json
}

async function chat({ value }: { value: string }, route: string, url = front.url): Promise<number> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${value}`, 'content-type': 'application/json' },
    body: JSON.stringify(hello(route, { max_tokens: 1000 })),
  })
  await response.arrayBuffer()
  return response.status
}

test('what one gateway has been told, another has not', async () => {
  simulator.account({})
  const [first, second] = nodes.map(({ url }) => url)
  // Room for what the request may have beside its ten tokens, and not for a second price.
  const tight = await newKey(AT_LIST + AT_LIST / 20n)
  assert.equal(await chat(await newKey(2n * DEAREST), 'local-0', first), 200)
  assert.equal(await chat(tight, 'local-0', second), 402)
  assert.equal(await chat(tight, 'local-0', first), 200)
})

test('of many first calls at once, over all gateways, only those are served whose dearest price fits', async () => {
  simulator.account({ serviceTier: 'priority' })
  const limit = 5n * (DEAREST + DEAREST / 20n)
  const key = await newKey(limit)
  const statuses = await Promise.all(Array.from({ length: 60 }, () => chat(key, 'local-1')))
  const served = statuses.filter((status) => status === 200).length
  assert.deepEqual([...new Set(statuses)].sort(), [200, 402])
  await until(async () => (await readSpent(cluster.databaseUrl, key.id)) === BigInt(served) * DEAREST, 'all are logged')
  assert.ok(BigInt(served) * DEAREST <= limit, `${served} of ${limit}`)
  for (const { manage, name } of nodes) {
    const learned = async () => (await manage('GET', '/providers/local')).json.price_percent === 200
    await until(learned, `${name} knows what it charges`)
    assert.equal((await manage('POST', '/verify')).json.differences.length, 0)
  }
})
