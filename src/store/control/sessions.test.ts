import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ENGINES, testStores } from '../../../test/test-store.ts'
import { createKey, revokeKey } from './keys.ts'
import { createSession, deleteSession, findSession, listSessions } from './sessions.ts'

const stores = await testStores()

for (const engine of ENGINES) {
  describe(engine, () => {
    async function setUp() {
      const { db } = await stores.openNew(engine)
      const newKey = async (name: string, expiresAt: number | null = null) =>
        (await createKey(db, { kind: 'admin', workspace: null, name, expiresAt }, 1)).key
      const key = await newKey('ana')
      const open = (at: number, expiresAt: number, by = key) =>
        createSession(db, { key: by, secretHash: `hash ${at}`, expiresAt }, at)
      const listed = async (now: number) =>
        (await listSessions(db, { after: null, limit: 10, now })).map(({ id }) => id)
      return { db, key, newKey, open, listed }
    }

    test('a session is found by its id, with its key as it is now', async () => {
      const { db, key, open } = await setUp()
      const session = await open(1_000, 5_000)
      assert.deepEqual(await findSession(db, session.id), session)
      assert.deepEqual(session.key, key)
      assert.equal(await findSession(db, 'nothing'), null)
      await revokeKey(db, key.id, 2_000)
      assert.equal((await findSession(db, session.id))?.key.revokedAt, 2_000)
    })

    test('a deleted one is gone, once', async () => {
      const { db, open } = await setUp()
      const { id } = await open(1_000, 5_000)
      assert.equal(await deleteSession(db, id), true)
      assert.equal(await deleteSession(db, id), false)
      assert.equal(await findSession(db, id), null)
    })

    test('the list is of those that work, newest first, in pages', async () => {
      const { db, newKey, open, listed } = await setUp()
      const [revoked, expiring] = [await newKey('ben'), await newKey('eve', 2_500)]
      const first = await open(1_000, 5_000)
      const second = await open(1_001, 3_000)
      const third = await open(1_002, 5_000, expiring)
      await open(1_003, 5_000, revoked)
      await revokeKey(db, revoked.id, 2_000)
      assert.deepEqual(await listed(2_000), [third.id, second.id, first.id])
      assert.deepEqual(await listed(2_500), [second.id, first.id])
      assert.deepEqual(await listed(3_000), [first.id])
      const rest = await listSessions(db, { after: third.id, limit: 1, now: 2_000 })
      assert.deepEqual(rest, [second])
    })

    test('the next sign-in clears away what has expired', async () => {
      const { db, open } = await setUp()
      const [old, present] = [await open(1_000, 2_000), await open(1_000, 2_001)]
      await open(2_000, 5_000)
      assert.equal(await findSession(db, old.id), null)
      assert.notEqual(await findSession(db, present.id), null)
    })
  })
}
