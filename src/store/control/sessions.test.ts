import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ENGINES, testStores } from '../../../test/test-store.ts'
import { createKey, revokeKey } from './keys.ts'
import { createPerson, deletePerson, deleteSessionsOf, listPeople, updatePerson } from './people.ts'
import { createSession, deleteSession, findSession, type Holder, isOpen, listSessions } from './sessions.ts'

const stores = await testStores()
const PERSON = { issuer: 'https://id.example', email: 'ana@example.com', name: null, roleFrom: 'invite' } as const

for (const engine of ENGINES) {
  describe(engine, () => {
    async function setUp() {
      const { db } = await stores.openNew(engine)
      const newKey = async (name: string, expiresAt: number | null = null) =>
        (await createKey(db, { kind: 'admin', workspace: null, name, expiresAt }, 1)).key
      const key = await newKey('ana')
      const open = (at: number, expiresAt: number, holder: Holder = { key }) =>
        createSession(db, { holder, secretHash: `hash ${at}`, expiresAt }, at)
      const listed = async (now: number) =>
        (await listSessions(db, { after: null, limit: 10, now })).map(({ id }) => id)
      const newPerson = (subject: string) =>
        createPerson(db, { ...PERSON, subject, access: { role: 'editor', workspaces: ['research'] } }, 1)
      return { db, key, newKey, newPerson, open, listed }
    }

    test('a session is found by its id, with its key as it is now', async () => {
      const { db, key, open } = await setUp()
      const session = await open(1_000, 5_000)
      assert.deepEqual(await findSession(db, session.id), session)
      assert.deepEqual(session.holder, { key })
      assert.equal(isOpen(session, 2_000), true)
      assert.equal(isOpen(session, 5_000), false)
      assert.equal(await findSession(db, 'nothing'), null)
      await revokeKey(db, key.id, 2_000)
      const ended = await findSession(db, session.id)
      assert.ok(ended !== null && !isOpen(ended, 2_000))
    })

    test('a deleted one is gone, once', async () => {
      const { db, newPerson, open } = await setUp()
      for (const holder of [undefined, { person: await newPerson('ana') }]) {
        const session = await open(1_000, 5_000, holder)
        assert.equal(await deleteSession(db, session), true)
        assert.equal(await deleteSession(db, session), false)
        assert.equal(await findSession(db, session.id), null)
      }
    })

    test('the list is of those that work, newest first, in pages', async () => {
      const { db, newKey, open, listed } = await setUp()
      const [revoked, expiring] = [await newKey('ben'), await newKey('eve', 2_500)]
      const first = await open(1_000, 5_000)
      const second = await open(1_001, 3_000)
      const third = await open(1_002, 5_000, { key: expiring })
      await open(1_003, 5_000, { key: revoked })
      await revokeKey(db, revoked.id, 2_000)
      assert.deepEqual(await listed(2_000), [third.id, second.id, first.id])
      assert.deepEqual(await listed(2_500), [second.id, first.id])
      assert.deepEqual(await listed(3_000), [first.id])
      const rest = await listSessions(db, { after: third.id, limit: 1, now: 2_000 })
      assert.deepEqual(rest, [second])
    })

    test('a session of a person has their access as it is now, and ends when they are disabled', async () => {
      const { db, newPerson, open } = await setUp()
      const person = await newPerson('ana')
      const session = await open(1_000, 5_000, { person })
      assert.deepEqual(await findSession(db, session.id), session)
      assert.deepEqual(session.access, { role: 'editor', workspaces: ['research'] })
      const viewer = { ...person, access: { role: 'viewer', workspaces: null } } as const
      await updatePerson(db, viewer)
      assert.deepEqual((await findSession(db, session.id))?.access, viewer.access)
      await updatePerson(db, { ...viewer, disabledAt: 2_000 })
      const disabled = await findSession(db, session.id)
      assert.ok(disabled !== null && !isOpen(disabled, 2_000))
    })

    test('sessions of keys and people are one list, in pages, and can be listed by whose they are', async () => {
      const { db, key, newPerson, open } = await setUp()
      const [ana, ben] = [await newPerson('ana'), await newPerson('ben')]
      const opened = []
      for (const [at, holder] of [{ key }, { person: ana }, { key }, { person: ben }].entries()) {
        opened.unshift((await open(1_000 + at, 5_000, holder)).id)
      }
      const page = async (more: object) =>
        (await listSessions(db, { after: null, limit: 3, now: 2_000, ...more })).map(({ id }) => id)
      assert.deepEqual(await page({}), opened.slice(0, 3))
      assert.deepEqual(await page({ after: opened[1] }), opened.slice(2))
      assert.deepEqual(await page({ holderId: ana.id }), [opened[2]])
      await updatePerson(db, { ...ben, disabledAt: 1_500 })
      assert.deepEqual(await page({}), opened.slice(1))
    })

    test('all sessions of a person end together, and with the person', async () => {
      const { db, newPerson, open, listed } = await setUp()
      const [ana, ben] = [await newPerson('ana'), await newPerson('ben')]
      await open(1_000, 5_000, { person: ana })
      await open(1_001, 5_000, { person: ana })
      const kept = await open(1_002, 5_000, { person: ben })
      assert.equal(await deleteSessionsOf(db, ana.id), 2)
      assert.deepEqual(await listed(2_000), [kept.id])
      await deletePerson(db, ben.id)
      assert.deepEqual(await listed(2_000), [])
      const left = await listPeople(db, null)
      assert.deepEqual([left.some(({ id }) => id === ana.id), left.some(({ id }) => id === ben.id)], [true, false])
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
