import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { until } from '../../../test/harness.ts'
import { startPostgresProxy } from '../../../test/store/postgres-proxy.ts'
import { testStores } from '../../../test/test-store.ts'
import { openLiveSnapshot } from './live-snapshot.ts'
import { ensureWorkspace } from './workspaces.ts'

const stores = await testStores()
const log = { info() {}, warn() {}, error() {} }

for (const [how, ways] of [
  ['both ways', {}],
  ['being told alone', { polls: false }],
  ['asking alone', { listens: false }],
] as const) {
  test(`a change made on one node is seen on another by ${how}`, async () => {
    const options = await stores.newOptions('postgres')
    const { db, secrets } = await stores.open(options)
    const here = await openLiveSnapshot(db, secrets)
    const there = await openLiveSnapshot(db, secrets)
    there.follow({ url: options.databaseUrl ?? '', everyMs: 100, log, ...ways })
    try {
      for (const name of ['one', 'two', 'three']) {
        await here.change((transaction) => ensureWorkspace(transaction, name, 1))
        assert.ok(here.current().workspaces.has(name), 'the next call here is served with it')
        await until(() => there.current().workspaces.has(name), `${name} is seen`)
      }
    } finally {
      there.stop()
    }
  })
}

describe('a node whose connection is lost without a word', () => {
  test('notices, says so, and sees what was changed meanwhile on a new one', async () => {
    const options = await stores.newOptions('postgres')
    const { db, secrets } = await stores.open(options)
    const proxy = await startPostgresProxy(options.databaseUrl ?? '')
    const warnings: string[] = []
    const here = await openLiveSnapshot(db, secrets)
    const there = await openLiveSnapshot(db, secrets)
    const reported = { ...log, warn: (_details: object, message: string) => void warnings.push(message) }
    there.follow({ url: proxy.url, everyMs: 50, log: reported })
    try {
      await here.change((transaction) => ensureWorkspace(transaction, 'before', 1))
      await until(() => there.current().workspaces.has('before'), 'it follows')
      proxy.lose()
      await here.change((transaction) => ensureWorkspace(transaction, 'meanwhile', 1))
      await until(() => there.state().behindSince !== null, 'it says that it is behind')
      await until(() => there.current().workspaces.has('meanwhile'), 'it has caught up')
      await until(() => there.state().behindSince === null, 'it says that it has caught up')
      assert.deepEqual(warnings, ['changes by other nodes cannot be followed at the moment'])
    } finally {
      there.stop()
      await proxy.close()
    }
  })
})
