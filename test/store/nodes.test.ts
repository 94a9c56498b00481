import assert from 'node:assert/strict'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { startGateway } from '../../src/app/main.ts'
import { type Harness, hello, newFolder, startHarness, until } from '../harness.ts'
import { auditOf, managing } from '../management/manage.ts'
import { startPostgres } from '../postgres.ts'
import { startPostgresProxy } from './postgres-proxy.ts'

const server = await startPostgres()
after(() => server.stop())

async function twoNodes(url: string, secondUrl = url): Promise<[Harness, Harness]> {
  const first = await startHarness({
    environment: { DATABASE_URL: url, SECRETS_KEY: 'one-key-for-all-nodes', NODE_NAME: 'first' },
  })
  const environment = { DATABASE_URL: secondUrl, SECRETS_KEY: 'one-key-for-all-nodes', NODE_NAME: 'second' }
  return [first, await startHarness({ environment })]
}

async function askWith(harness: Harness, key: string): Promise<number> {
  return (await harness.chat(hello('gpt-any'), { authorization: `Bearer ${key}` })).status
}

const readyz = async (harness: Harness) => (await harness.get('/readyz')).json

describe('two nodes on one PostgreSQL', () => {
  test('a key works and is revoked on both, as soon as one of them was told', async () => {
    const [first, second] = await twoNodes(await server.createDatabase())
    try {
      const manage = managing(() => first)
      const key = (await manage('POST', '/keys', { name: 'short-lived' })).json
      await until(async () => (await askWith(second, key.value)) === 200, 'the key works on the other node')
      await manage('DELETE', `/keys/${key.id}`)
      await until(async () => (await askWith(second, key.value)) === 401, 'the key is refused on the other node')
    } finally {
      await Promise.all([first.stop(), second.stop()])
    }
  })

  test('each lists both; one that is gone without a word can be forgotten, a living one cannot', async () => {
    const [first, second] = await twoNodes(await server.createDatabase())
    const manage = managing(() => first)
    const nodes = async () => (await manage('GET', '/nodes')).json.data
    try {
      const both = await nodes()
      assert.deepEqual(
        both.map(({ id, name, state, alive }: Record<string, unknown>) => ({ id, name, state, alive })),
        [
          { id: first.gateway.store.node, name: 'first', state: 'running', alive: true },
          { id: second.gateway.store.node, name: 'second', state: 'running', alive: true },
        ],
      )
      const { node } = second.gateway.store
      assert.equal((await manage('DELETE', `/nodes/${node}`)).json.error.code, 'conflict')
      await second.stop()
      assert.deepEqual(
        (await nodes()).map(({ state, alive }: Record<string, unknown>) => ({ state, alive })),
        [
          { state: 'running', alive: true },
          { state: 'stopped', alive: false },
        ],
      )
      assert.equal((await manage('DELETE', `/nodes/${node}`)).status, 204)
      assert.equal((await manage('DELETE', `/nodes/${node}`)).status, 404)
      assert.equal((await auditOf(manage, `nodes/${node}`))[0].action, 'nodes.forget')
      assert.equal((await nodes()).length, 1)
    } finally {
      await first.stop()
    }
  })

  test('a copy of the data folder of a running one does not start', async () => {
    const url = await server.createDatabase()
    const first = await startHarness({ environment: { DATABASE_URL: url } })
    const folder = newFolder()
    try {
      cpSync(join(first.folder, 'data'), join(folder, 'data'), { recursive: true })
      const environment = { PORT: '0', LOG_LEVEL: 'silent', DATA_DIR: join(folder, 'data'), DATABASE_URL: url }
      await assert.rejects(startGateway(environment), /is running as .*: a folder and its copy/)
    } finally {
      await first.stop()
      rmSync(folder, { recursive: true })
    }
  })

  test('one that is cut off serves with what it knows, says so, and catches up', async () => {
    const url = await server.createDatabase()
    const proxy = await startPostgresProxy(url)
    const [first, second] = await twoNodes(url, proxy.url)
    try {
      const manage = managing(() => first)
      const key = (await manage('POST', '/keys', { name: 'short-lived' })).json
      await until(async () => (await askWith(second, key.value)) === 200, 'the key works on the other node')
      assert.deepEqual((await readyz(second)).control, { behind_since: null, last_error: null })
      await proxy.cut()
      await until(async () => (await readyz(second)).control.behind_since !== null, 'it says that it is cut off')
      const { status, control, log } = await readyz(second)
      assert.equal(status, 'ready')
      assert.match(control.last_error, /ECONNREFUSED|terminated|ended/)
      assert.ok(Date.parse(control.behind_since) <= Date.now())
      const seconds = /^switchyard_control_behind_seconds [0-9.]*[1-9]/m
      await until(async () => seconds.test((await second.get('/metrics')).text), 'it says for how long')
      await manage('DELETE', `/keys/${key.id}`)
      assert.equal(await askWith(second, key.value), 200)
      assert.ok(log.max_rows > 0)
      await proxy.mend()
      await until(async () => (await askWith(second, key.value)) === 401, 'it has caught up')
      await until(async () => (await readyz(second)).control.behind_since === null, 'it says that it has caught up')
    } finally {
      await Promise.all([first.stop(), second.stop()])
      await proxy.close()
    }
  })
})
