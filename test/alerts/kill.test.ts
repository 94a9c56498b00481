import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startSimulator } from '../../simulator/simulator.ts'
import { type ClusterNode, newNode } from '../cluster/node.ts'
import { ADMIN_KEY, hello, KEY, until } from '../harness.ts'
import { startPostgres } from '../postgres.ts'
import { type Receiver, startReceiver } from './receiver.ts'

const simulator = await startSimulator()
const server = await startPostgres()
const folder = mkdtempSync(join(tmpdir(), 'switchyard-alerts-'))
const nodes: ClusterNode[] = []
after(async () => {
  await Promise.all(nodes.map((node) => node.kill()))
  await Promise.all([simulator.close(), server.stop()])
  rmSync(folder, { recursive: true, force: true })
})

async function start(names: readonly string[], more: Record<string, string>): Promise<ClusterNode[]> {
  const environment = {
    PATH: process.env['PATH'] ?? '',
    GATEWAY_KEY: KEY,
    ADMIN_KEY,
    SECRETS_KEY: 'a-key-for-tests-0123456789',
    OPENAI_API_KEY: 'sk-test-openai-key',
    OPENAI_BASE_URL: simulator.openaiUrl,
    OVERLOAD_MS: '0',
    ...more,
  }
  const made = await Promise.all(names.map((name) => newNode({ name, folder, environment })))
  nodes.push(...made)
  for (const node of made) assert.equal(await node.start(), true)
  return made
}

/** A channel, and a budget that one call exceeds. */
async function spend(node: ClusterNode, receiver: Receiver): Promise<void> {
  const channel = await node.manage('POST', '/alert-channels', { name: 'ops', kind: 'webhook', url: receiver.url })
  assert.equal(channel.status, 201, channel.text)
  const limits = { budget: { usd: '0.000001', per: 'month', mode: 'soft' } }
  const key = await node.manage('POST', '/keys', { name: 'ci', limits })
  const answer = await fetch(`${node.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key.json.value}`, 'content-type': 'application/json' },
    body: JSON.stringify(hello('gpt-4o', { max_tokens: 5 })),
  })
  assert.equal(answer.status, 200, await answer.text())
}

const firing = async (node: ClusterNode) => (await node.manage('GET', '/alerts?state=firing')).json.data.length
const pending = async (node: ClusterNode) => (await node.manage('GET', '/alert-channels')).json.data[0].pending
const idsOf = ({ received }: Receiver) => new Set(received.map(({ headers }) => headers['webhook-id']))

async function killAndStart(all: readonly ClusterNode[]): Promise<void> {
  await Promise.all(all.map((node) => node.kill()))
  for (const node of all) assert.equal(await node.start(), true)
}

for (const { engine, names, environment } of [
  { engine: 'one node on SQLite', names: ['alone'], environment: async () => ({}) },
  {
    engine: 'two nodes on PostgreSQL',
    names: ['first', 'second'],
    environment: async () => ({ DATABASE_URL: await server.createDatabase() }),
  },
]) {
  test(`kill -9 between decision and delivery loses no alert: ${engine}`, async () => {
    const receiver = await startReceiver()
    try {
      const all = await start(
        names.map((name) => `${name}-before`),
        { ...(await environment()), ALERTS_EVERY_SECONDS: '3' },
      )
      const [node] = all as [ClusterNode]
      await spend(node, receiver)
      await until(async () => (await firing(node)) === 1, 'it is decided')
      await killAndStart(all)
      await until(async () => (await pending(node)) === 0, 'it is delivered')
      assert.equal(idsOf(receiver).size, 1)
      assert.equal(await firing(node), 1)
      await Promise.all(all.map((each) => each.stop()))
    } finally {
      await receiver.close()
    }
  })

  test(`kill -9 while a message is sent repeats it under its id: ${engine}`, async () => {
    const receiver = await startReceiver()
    try {
      const all = await start(
        names.map((name) => `${name}-during`),
        { ...(await environment()), ALERTS_EVERY_SECONDS: '0.3' },
      )
      const [node] = all as [ClusterNode]
      receiver.hangs(true)
      await spend(node, receiver)
      await until(() => receiver.received.length === 1, 'it is being sent')
      await Promise.all(all.map((each) => each.kill()))
      receiver.hangs(false)
      for (const each of all) assert.equal(await each.start(), true)
      await until(async () => (await pending(node)) === 0, 'it is delivered')
      assert.deepEqual([receiver.received.length, idsOf(receiver).size], [2, 1])
      await Promise.all(all.map((each) => each.stop()))
    } finally {
      await receiver.close()
    }
  })
}
