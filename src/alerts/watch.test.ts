import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { until } from '../../test/harness.ts'
import { testStores } from '../../test/test-store.ts'
import { type WatchParts, watchAlerts } from './watch.ts'

const stores = await testStores()
const store = await stores.open(await stores.newOptions('sqlite'))
after(() => store.close())

/** Counts rounds and looks; `mark` and `lagRows` are what the test says. */
function watch(mark: string | null) {
  const seen = { mark, lagRows: 0, rounds: 0, looks: 0, at: 1_000 }
  const parts: WatchParts = {
    ...{ db: store.db, reads: store.reads, secrets: store.secrets, everyMs: 1 },
    // Every look is so late that the traffic is due.
    now: () => (seen.at += 1_000),
    workspaces: () => ['default'],
    budgets: async () => [],
    async providers() {
      seen.looks += 1
      return []
    },
    mark() {
      seen.rounds += 1
      return seen.mark
    },
    drifts: async () => [],
    backlog: () => ({ id: 'node', name: 'node', lagSeconds: 0, lagRows: seen.lagRows }),
    ways: { post: async () => ({ status: 200 }), dial: () => Promise.reject(new Error('no mail')) },
    onProblem: assert.ifError,
  }
  const { stop } = watchAlerts(parts)
  const rounds = async (count: number) => {
    const end = seen.rounds + count
    await until(() => seen.rounds >= end, `${count} rounds`)
  }
  return { seen, stop, rounds }
}

test('while nothing happens on an embedded gateway, its database is left alone', async () => {
  const { seen, stop, rounds } = watch('one')
  await rounds(10)
  assert.equal(seen.looks, 1)
  seen.mark = 'two'
  await rounds(10)
  assert.equal(seen.looks, 2)
  await stop()
})

test('rows that wait for the database are looked for until they are there', async () => {
  const { seen, stop, rounds } = watch('one')
  seen.lagRows = 1
  await rounds(5)
  assert.ok(seen.looks >= 4)
  seen.lagRows = 0
  await rounds(2)
  const { looks } = seen
  await rounds(5)
  assert.equal(seen.looks, looks)
  await stop()
})

test('where other gateways write to the same database, every round looks', async () => {
  const { seen, stop, rounds } = watch(null)
  await rounds(5)
  assert.ok(seen.looks >= 4)
  await stop()
})

test('what is written by this process, and nothing else, is counted', async () => {
  const before = store.writes() ?? 0
  await store.db.selectFrom('settings').selectAll().execute()
  await store.db.transaction().execute((transaction) => transaction.selectFrom('alerts').selectAll().execute())
  assert.equal(store.writes(), before)
  await store.db.insertInto('settings').values({ name: 'test', value: '1' }).execute()
  assert.equal(store.writes(), before + 1)
})
