import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { watchPlans } from '../../../test/query-plans.ts'
import { closeRecord, ENGINES, openRecord, testStores } from '../../../test/test-store.ts'
import { closeInterrupted } from '../fold/fold.ts'
import { findIdempotent } from './find-idempotent.ts'

const stores = await testStores()
const KEYED = { keyId: 'key-1', idempotencyKey: 'once', bodyHash: 'hash' }
const FREE = { costPicodollars: null }
const SEARCH = { keyId: 'key-1', idempotencyKey: 'once', since: 0 }

for (const engine of ENGINES) {
  describe(`the call that a key stands for (${engine})`, () => {
    test('is the one that was answered, not those that failed before or after', async () => {
      const store = await stores.openNew(engine)
      const { requestLog, reads } = store
      await requestLog.close(
        closeRecord('failed', { ...KEYED, startedAt: 1_000, status: 502, code: 'upstream_error', ...FREE }),
      )
      await requestLog.caughtUp()
      assert.equal(await findIdempotent(reads, SEARCH), null)
      await requestLog.close(closeRecord('answered', { ...KEYED, startedAt: 2_000 }))
      await requestLog.close(
        closeRecord('conflict', { ...KEYED, startedAt: 3_000, status: 409, code: 'conflict', ...FREE }),
      )
      await requestLog.close(closeRecord('without', { startedAt: 4_000 }))
      await requestLog.caughtUp()
      const found = { requestId: 'answered', bodyHash: 'hash', state: 'answered' }
      assert.deepEqual(await findIdempotent(reads, SEARCH), found)
      assert.deepEqual(await findIdempotent(reads, { ...SEARCH, since: 1_999 }), found)
      assert.equal(await findIdempotent(reads, { ...SEARCH, since: 2_000 }), null)
      assert.equal(await findIdempotent(reads, { ...SEARCH, keyId: 'key-2' }), null)
      assert.equal(await findIdempotent(reads, { ...SEARCH, idempotencyKey: 'other' }), null)
    })

    test('is a stream that was cut after content, or whose input was charged', async () => {
      const cuts: NonNullable<Parameters<typeof closeRecord>[1]>[] = [
        { status: 200, code: 'upstream_error', firstContentMs: 5, costPicodollars: '7' },
        { status: 499, code: 'caller_left', firstContentMs: 5, ...FREE },
        { status: 499, code: 'caller_left', costPicodollars: '7' },
        { status: 0, code: 'interrupted', firstContentMs: 5, ...FREE },
      ]
      for (const cut of cuts) {
        const store = await stores.openNew(engine)
        await store.requestLog.close(closeRecord('cut', { ...KEYED, streamed: true, startedAt: 1_000, ...cut }))
        await store.requestLog.caughtUp()
        const picodollars = cut.costPicodollars === null ? null : 7n
        const found = { requestId: 'cut', bodyHash: 'hash', state: 'answered', cut: { picodollars } }
        assert.deepEqual(await findIdempotent(store.reads, SEARCH), found)
      }
    })

    test('runs while its row is open, and is uncertain when it was interrupted', async () => {
      const store = await stores.openNew(engine)
      await store.requestLog.open(openRecord('open', KEYED))
      await store.requestLog.caughtUp()
      const found = { requestId: 'open', bodyHash: 'hash' }
      assert.deepEqual(await findIdempotent(store.reads, SEARCH), { ...found, state: 'running' })
      await closeInterrupted(store.db, store.node, 9_000)
      assert.deepEqual(await findIdempotent(store.reads, SEARCH), { ...found, state: 'uncertain' })
    })
  })
}

test('it is found by the index of calls with a key', async () => {
  const store = await stores.openNew('sqlite')
  const watched = watchPlans(store.reads, 'sqlite')
  await findIdempotent(watched.db, SEARCH)
  assert.match(await watched.text(), /SEARCH requests USING INDEX requests_idempotency \(.*key_id=.*idempotency_key=/)
})

test('a spool of a version without keys is still read', async () => {
  const store = await stores.openNew('sqlite')
  const { idempotencyKey: _key, bodyHash: _hash, ...old } = closeRecord('old')
  await store.requestLog.close(old as ReturnType<typeof closeRecord>)
  await store.requestLog.caughtUp()
  const row = await store.db.selectFrom('requests').selectAll().executeTakeFirstOrThrow()
  assert.deepEqual([row.id, row.idempotency_key, row.body_hash], ['old', null, null])
})
