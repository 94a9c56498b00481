import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { ENGINES, type EngineName, testStores } from '../../../test/test-store.ts'
import type { Store } from '../../app/open-store.ts'
import { hashKey, isValueUsable, keyPrefix } from '../../domain/key.ts'
import type { KeyRow } from '../engine/schema.ts'
import { addValue, endValues, valuesOf } from './key-values.ts'
import { createKey, ensureKey, findKey } from './keys.ts'
import { loadSnapshot } from './snapshot.ts'
import { ensureWorkspace } from './workspaces.ts'

const stores = await testStores()
const LIVE = { kind: 'live', workspace: 'default' } as const

async function storeWith(engine: EngineName, name: string): Promise<{ store: Store; key: KeyRow; value: string }> {
  const store = await stores.openNew(engine)
  await ensureWorkspace(store.db, 'default', 1)
  const { key, value } = await createKey(store.db, { ...LIVE, name }, 1)
  return { store, key: await rowOf(store, key.id), value }
}

async function rowOf({ db }: Store, id: string): Promise<KeyRow> {
  const row = await findKey(db, 'live', id)
  assert.ok(row)
  return row
}

/** Which of these values would be let in, by the snapshot that calls are served with. */
async function working(store: Store, values: readonly string[], now: number): Promise<boolean[]> {
  const { valuesByHash } = await loadSnapshot(store.db, store.secrets)
  return values.map((value) => {
    const found = valuesByHash.get(hashKey(value))
    return found !== undefined && isValueUsable(found, now)
  })
}

for (const engine of ENGINES) {
  describe(`values of keys on ${engine}`, () => {
    test('a key is shown with the prefix of the newest value that works', async () => {
      const { store, key, value } = await storeWith(engine, 'ci')
      const shown = async () => (await rowOf(store, key.id)).prefix
      const { id } = await addValue(store.db, key, 'a-second-value', 10)
      assert.equal(await shown(), keyPrefix('a-second-value'))
      await endValues(store.db, key, { which: (each) => each.id === id, at: 20, now: 20 })
      assert.equal(await shown(), keyPrefix(value))
    })

    test('a variable of the environment with a new value: one more of the same key, its limits stay', async () => {
      const store = await stores.openNew(engine)
      await ensureWorkspace(store.db, 'default', 1)
      const ensure = (value: string, now: number) => ensureKey(store.db, { ...LIVE, name: 'GATEWAY_KEY', value }, now)
      assert.equal(await ensure('the-first-value', 1), 'created')
      assert.equal(await ensure('the-second-value', 2), 'added')
      assert.equal(await ensure('the-first-value', 3), 'present', 'another node is started with it')
      const [key, ...others] = await store.db.selectFrom('keys').selectAll().execute()
      assert.ok(key)
      assert.deepEqual(others, [])
      assert.deepEqual(await working(store, ['the-first-value', 'the-second-value'], 4), [true, true])
      await endValues(store.db, key, { which: ({ hash }) => hash === hashKey('the-first-value'), at: 5, now: 5 })
      assert.equal(await ensure('the-first-value', 6), 'revoked')
      assert.deepEqual(await working(store, ['the-first-value', 'the-second-value'], 6), [false, true])
    })

    test('another value of an admin key is another key', async () => {
      const store = await stores.openNew(engine)
      const ensure = (value: string) =>
        ensureKey(store.db, { kind: 'admin', workspace: null, name: 'ADMIN_KEY', value }, 1)
      assert.deepEqual([await ensure('the-first-value'), await ensure('the-second-value')], ['created', 'created'])
    })

    test('last use: the latest of what several nodes saw, kept when it could not be written', async () => {
      const { store, key } = await storeWith(engine, 'ci')
      const { valueUses: uses, db } = store
      const lastUse = async () => (await valuesOf(db, key))[0]?.last_used_at
      uses.note(key.id, 100)
      uses.note('unknown', 100)
      await uses.write()
      assert.equal(await lastUse(), 100)
      uses.note(key.id, 90)
      await uses.write()
      assert.equal(await lastUse(), 100)

      await sql`alter table key_values rename to elsewhere`.execute(db)
      uses.note(key.id, 110)
      const failing = uses.write()
      uses.note(key.id, 120)
      await assert.rejects(failing)
      await sql`alter table elsewhere rename to key_values`.execute(db)
      await uses.write()
      assert.equal(await lastUse(), 120, 'of two that wait the later')
    })
  })
}
