import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../../test/harness.ts'
import { startPostgresProxy } from '../../../test/store/postgres-proxy.ts'
import { closeRecord, testStores } from '../../../test/test-store.ts'
import { StoreError } from '../engine/store-error.ts'
import { claimLimits, tryLimitsLock } from './limits-lock.ts'
import { forgetNode, listNodes, markNodeStopped, refuseCopies, registerNode, renewNode, runningNodes } from './nodes.ts'

const { server, newOptions, open } = await testStores()

const NODE = { node: 'node-1', name: 'here:8080', version: '1.0.0', instance: 'first', place: 'here' }

async function newDatabase() {
  const options = await newOptions('postgres')
  const { db } = await open(options)
  await db.deleteFrom('nodes').execute()
  return { db, url: options.databaseUrl ?? '' }
}

test('a node is running from its registration until it has delivered everything', async () => {
  const { db } = await newDatabase()
  await registerNode(db, NODE)
  assert.equal(await renewNode(db, { ...NODE, name: 'here:9000' }, 7), true)
  const [node] = await runningNodes(db)
  assert.deepEqual(
    { ...node, startedAt: 0, seenAt: 0 },
    {
      node: 'node-1',
      name: 'here:9000',
      version: '1.0.0',
      state: 'running',
      startedAt: 0,
      seenAt: 0,
      lagRows: 7,
      isAlive: true,
    },
  )
  await markNodeStopped(db, 'node-1')
  assert.deepEqual(await runningNodes(db), [])
  assert.deepEqual(
    (await listNodes(db)).map(({ state, isAlive, lagRows }) => ({ state, isAlive, lagRows })),
    [{ state: 'stopped', isAlive: false, lagRows: 0 }],
  )
})

test('a node that has not been seen for a while is running, but not alive', async () => {
  const { db } = await newDatabase()
  await registerNode(db, NODE)
  await db
    .updateTable('nodes')
    .set({ seen_at: Date.now() - 16_000 })
    .execute()
  assert.deepEqual(
    (await runningNodes(db)).map(({ isAlive }) => isAlive),
    [false],
  )
})

test('a process whose node was forgotten or taken over is told when it renews', async () => {
  const { db } = await newDatabase()
  await registerNode(db, NODE)
  await registerNode(db, { ...NODE, instance: 'second' })
  assert.equal(await renewNode(db, NODE, 0), false)
  assert.equal(await forgetNode(db, 'node-1'), true)
  assert.equal(await forgetNode(db, 'node-1'), false)
  assert.equal(await renewNode(db, { ...NODE, instance: 'second' }, 0), false)
})

test('a copy of the folder of a living node is refused; the same folder, or that of a dead one, is not', async () => {
  const { db } = await newDatabase()
  await registerNode(db, NODE)
  const never = { pause: () => Promise.reject(new Error('it waits')) }
  await refuseCopies(db, NODE, never)
  const copy = { ...NODE, place: 'elsewhere' }
  const lives = { pause: async () => void (await renewNode(db, NODE, 0)) }
  await assert.rejects(refuseCopies(db, copy, lives), (error) => {
    assert.ok(error instanceof StoreError)
    return /node-1 .* is running as here:8080/.test(error.message)
  })
  const dies = { pause: async () => void (await db.updateTable('nodes').set({ seen_at: 0 }).execute()) }
  await refuseCopies(db, copy, dies)
})

test('a node that stops with rows which it could not deliver stays running, until it has', async () => {
  const options = await newOptions('postgres')
  const proxy = await startPostgresProxy(options.databaseUrl ?? '')
  const { db } = await open({ ...(await newOptions('postgres')), databaseUrl: options.databaseUrl })
  const states = async (node: string) =>
    (await listNodes(db)).filter((each) => each.node === node).map(({ state }) => state)
  const cutOff = await open({ ...options, databaseUrl: proxy.url })
  await proxy.cut()
  await cutOff.requestLog.close(closeRecord('r1'))
  await cutOff.close()
  assert.deepEqual(await states(cutOff.node), ['running'])
  const again = await open(options)
  assert.equal(again.node, cutOff.node)
  await again.close()
  assert.deepEqual(await states(cutOff.node), ['stopped'])
})

test('one node at a time has the right to enforce limits alone, and loses it with its connection', async () => {
  const { url } = await newDatabase()
  const first = await tryLimitsLock(url)
  assert.equal(first?.held(), true)
  assert.equal(await tryLimitsLock(url), null)
  await server.halt()
  await server.resume()
  assert.equal(first?.held(), false)
  const second = await tryLimitsLock(url)
  assert.equal(second?.held(), true)
  await second?.release()
  const third = await tryLimitsLock(url)
  assert.equal(third?.held(), true)
  await third?.release()
})

test('nobody enforces limits after a node that may have spent what the log does not know', async () => {
  const { db } = await newDatabase()
  await registerNode(db, NODE)
  assert.deepEqual(await claimLimits(db, 'node-1'), { kind: 'granted', wasOurs: false })
  assert.deepEqual(await claimLimits(db, 'node-1'), { kind: 'granted', wasOurs: true })
  assert.deepEqual(await claimLimits(db, 'node-2'), { kind: 'waiting', for: 'here:8080' })
  await markNodeStopped(db, 'node-1')
  assert.deepEqual(await claimLimits(db, 'node-2'), { kind: 'granted', wasOurs: false })
  await registerNode(db, { ...NODE, node: 'node-2', name: 'there:8080' })
  assert.deepEqual(await claimLimits(db, 'node-1'), { kind: 'waiting', for: 'there:8080' })
  await forgetNode(db, 'node-2')
  assert.deepEqual(await claimLimits(db, 'node-1'), { kind: 'granted', wasOurs: false })
})

test('rows wait when somebody else has moved the position of their spool, rather than being passed over', async () => {
  const { db, node, requestLog } = await open(await newOptions('postgres'))
  await requestLog.close(closeRecord('r1'))
  await requestLog.caughtUp()
  const position = db.updateTable('spool_positions').where('node', '=', node)
  await position.set({ seq: 100, ends_seq: 100 }).execute()
  await requestLog.close(closeRecord('r2'))
  await until(() => /another process has delivered/.test(requestLog.status().lastError ?? ''), 'it says so')
  assert.equal(requestLog.status().lagRows, 1)
  await position.set({ seq: 1, ends_seq: 1 }).execute()
  await requestLog.caughtUp()
  const rows = await db.selectFrom('requests').select('id').orderBy('id').execute()
  assert.deepEqual(
    rows.map(({ id }) => id),
    ['r1', 'r2'],
  )
})
