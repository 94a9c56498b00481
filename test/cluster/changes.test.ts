import assert from 'node:assert/strict'
import { after, describe, type TestContext, test } from 'node:test'
import { type Answered, hello, until } from '../harness.ts'
import { CONFIG } from '../limits/limited.ts'
import { startCluster } from './cluster.ts'
import type { ClusterNode } from './node.ts'

const cluster = await startCluster({ nodes: 3, config: CONFIG })
after(() => cluster.stop())
const [first, second, third] = cluster.nodes as [ClusterNode, ClusterNode, ClusterNode]
const others = [second, third]

/** Answers with 200 by key: as many rows must be in the log. */
const served = new Map<string, number>()

async function chat({ url }: ClusterNode, key: string, model: string): Promise<Answered> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(hello(model)),
  })
  const text = await response.text()
  if (response.status === 200) served.set(key, (served.get(key) ?? 0) + 1)
  return { status: response.status, headers: response.headers, text, json: JSON.parse(text) }
}

let keys = 0

async function newKey(node: ClusterNode): Promise<Key> {
  const { status, json, text } = await node.manage('POST', '/keys', { name: `changes-${++keys}` })
  assert.equal(status, 201, text)
  return json
}

/** Waits until it is true at every node and returns how long that took at each. */
async function seen(
  t: TestContext,
  what: string,
  nodes: readonly ClusterNode[],
  holds: (node: ClusterNode) => Promise<boolean>,
): Promise<void> {
  const begun = performance.now()
  const times = nodes.map(async (node) => {
    await until(() => holds(node), `${what} at ${node.name}`)
    return `${node.name} after ${Math.round(performance.now() - begun)} ms`
  })
  t.diagnostic(`${what}: ${(await Promise.all(times)).join(', ')}`)
}

interface Key {
  id: string
  value: string
}

async function rowsOf({ id }: Key): Promise<number> {
  const { json } = await first.manage('GET', `/requests?key=${id}&limit=100`)
  return json.data.length
}

async function arrived(key: Key): Promise<void> {
  // A node may be out of reach of the management API for as long as PostgreSQL is out of its own.
  const all = async () => (await rowsOf(key).catch(() => null)) === served.get(key.value)
  await until(all, `the log has ${served.get(key.value)} rows`)
}

describe('a change at one node', () => {
  test('makes a new key work at the others', async (t) => {
    const { value } = await newKey(first)
    await seen(t, 'the new key works', others, async (node) => (await chat(node, value, 'plain')).status === 200)
  })

  test('refuses a revoked key at the others', async (t) => {
    const { id, value } = await newKey(first)
    await seen(t, 'the new key works', others, async (node) => (await chat(node, value, 'plain')).status === 200)
    assert.equal((await first.manage('DELETE', `/keys/${id}`)).status, 204)
    assert.equal((await chat(first, value, 'plain')).status, 401)
    await seen(t, 'the key is refused', others, async (node) => (await chat(node, value, 'plain')).status === 401)
  })

  test('sends the calls of a changed route elsewhere', async (t) => {
    const { value } = await newKey(first)
    const put = (provider: string, model: string) =>
      first.manage('PUT', '/routes/moves', { chain: [{ provider, model }] })
    assert.ok((await put('openai', 'gpt-plain')).status < 300)
    const servedBy = (provider: string) => async (node: ClusterNode) => {
      const { status, headers } = await chat(node, value, 'moves')
      return status === 200 && headers.get('x-gateway-provider') === provider
    }
    await seen(t, 'the new route serves', others, servedBy('openai'))
    assert.ok((await put('anthropic', 'claude-plain')).status < 300)
    await seen(t, 'the changed route serves', others, servedBy('anthropic'))
  })
})

describe('a node cut off from PostgreSQL', () => {
  for (const how of ['refuse', 'hang'] as const) {
    test(`serves on with what it has and catches up (connections ${how})`, async (t) => {
      const known = await newKey(first)
      const revoked = await newKey(first)
      for (const { value } of [known, revoked]) {
        await seen(t, 'a key works', others, async (node) => (await chat(node, value, 'plain')).status === 200)
      }
      await arrived(known)
      const before = await rowsOf(known)
      t.after(() => cluster.lines[1]?.mend())
      cluster.lines[1]?.cut(how)
      assert.equal((await first.manage('DELETE', `/keys/${revoked.id}`)).status, 204)
      const isRefused = async (node: ClusterNode) => (await chat(node, revoked.value, 'plain')).status === 401
      await seen(t, 'the revoked key is refused', [third], isRefused)
      for (let call = 0; call < 5; call++) assert.equal((await chat(second, known.value, 'plain')).status, 200)
      assert.equal(await isRefused(second), false)
      assert.equal(await rowsOf(known), before)
      cluster.lines[1]?.mend()
      await seen(t, 'the revoked key is refused', [second], isRefused)
      await arrived(known)
    })
  }
})

test('PostgreSQL killed and started again: every node serves meanwhile, and no row is missing', async (t) => {
  const key = await newKey(first)
  const works = (value: string) => async (node: ClusterNode) => (await chat(node, value, 'plain')).status === 200
  await seen(t, 'the new key works', cluster.nodes, works(key.value))
  await cluster.postgres.kill()
  for (const node of cluster.nodes) {
    for (let call = 0; call < 5; call++) assert.equal((await chat(node, key.value, 'plain')).status, 200)
  }
  await cluster.postgres.resume()
  await arrived(key)
  assert.equal(served.get(key.value), 18)
  const later = await newKey(second)
  await seen(t, 'a new key works', cluster.nodes, works(later.value))
})
