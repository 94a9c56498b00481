import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { Kysely, sql } from 'kysely'
import { ENGINES, type EngineName, testStores } from '../../../test/test-store.ts'
import type { Store, StoreOptions } from '../../app/open-store.ts'
import { hashKey, isValueUsable } from '../../domain/key.ts'
import { ensurePartitions } from '../../request-log/retention/partitions.ts'
import { postgresDialect } from '../engine/postgres-pool.ts'
import { openRemoteSqlite } from '../engine/remote-sqlite.ts'
import type { Database, KeyRow } from '../engine/schema.ts'
import { sqliteDialect } from '../engine/sqlite-dialect.ts'
import { MIGRATIONS, migrate } from '../migrations/migrations.ts'
import { addValue, endValues, findByHash, valuesOf } from './key-values.ts'
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

/** As the version before left it. */
async function oldDatabase(engine: EngineName, { dataDir, databaseUrl }: StoreOptions): Promise<Kysely<Database>> {
  const dialect =
    engine === 'sqlite'
      ? sqliteDialect(
          openRemoteSqlite({ path: join(dataDir, 'switchyard.db'), readOnly: false, synchronousFull: false }),
        )
      : postgresDialect({ url: databaseUrl ?? '', connections: 1, queryTimeoutMs: null, onIdleError() {} })
  const db = new Kysely<Database>({ dialect })
  const before = MIGRATIONS.findIndex(({ name }) => name === 'createKeyValues')
  await migrate(db, engine, 1, { migrations: MIGRATIONS.slice(0, before), compatible: before })
  return db
}

/** As the version before writes it. */
function insertOldKey(db: Kysely<Database>, id: string, value: string, revokedAt: number | null = null) {
  return sql`insert into keys (id, kind, workspace, name, hash, prefix, created_at, revoked_at)
    values (${id}, 'live', 'default', 'ci', ${hashKey(value)}, ${value.slice(0, 12)}, 5, ${revokedAt})`.execute(db)
}

for (const engine of ENGINES) {
  describe(`values of keys on ${engine}`, () => {
    test('a database of the version before: each key has its value, its last use and its revocation', async () => {
      const options = await stores.newOptions(engine)
      const old = await oldDatabase(engine, options)
      const startedAt = Date.now() - 1_000
      await ensureWorkspace(old, 'default', 1)
      await insertOldKey(old, 'replaced', 'the-first-value', 90)
      await insertOldKey(old, 'successor', 'the-second-value')
      await ensurePartitions(old, [startedAt])
      await sql`insert into requests (id, node, state, workspace, key_id, started_at, fallback, attempts,
        gateway_microseconds, request_bytes, response_bytes, ignored_params)
        values ('r', 'n', 'open', 'default', 'successor', ${startedAt}, 0, '[]', 0, 0, 0, '[]')`.execute(old)
      await old.destroy()

      const store = await stores.open(options)
      assert.deepEqual(await working(store, ['the-first-value', 'the-second-value'], 100), [false, true])
      assert.deepEqual(await working(store, ['the-first-value', 'the-second-value'], 89), [true, true])
      const key = await rowOf(store, 'successor')
      assert.equal(key.paused_at, null)
      assert.deepEqual(await valuesOf(store.db, key), [
        {
          id: 'successor',
          key_id: 'successor',
          hash: hashKey('the-second-value'),
          prefix: 'the-second-v',
          created_at: 5,
          ends_at: null,
          last_used_at: startedAt,
        },
      ])
      assert.equal((await store.db.selectFrom('keys').select('id').execute()).length, 2, 'what was two keys stays so')
    })

    test('a key that a gateway of the version before makes meanwhile works, is rotated and deleted', async () => {
      const { store } = await storeWith(engine, 'other')
      const { db } = store
      await insertOldKey(db, 'meanwhile', 'value-of-meanwhile')
      const key = await rowOf(store, 'meanwhile')
      assert.deepEqual(await working(store, ['value-of-meanwhile'], 10), [true])
      assert.equal((await findByHash(db, hashKey('value-of-meanwhile')))?.value.id, 'meanwhile')
      const { id } = await addValue(db, key, 'value-after-it', 10)
      await endValues(db, key, { which: (value) => value.id !== id, at: 20, now: 10 })
      assert.deepEqual(await working(store, ['value-of-meanwhile', 'value-after-it'], 19), [true, true])
      assert.deepEqual(await working(store, ['value-of-meanwhile', 'value-after-it'], 20), [false, true])
      await sql`delete from keys where id = 'meanwhile'`.execute(db)
      assert.deepEqual(await working(store, ['value-after-it'], 19), [false])
    })

    test('the row of the key names the newest value that works, for gateways of the version before', async () => {
      const { store, key, value } = await storeWith(engine, 'ci')
      const named = async () => (await rowOf(store, key.id)).hash
      const { id } = await addValue(store.db, key, 'a-second-value', 10)
      assert.equal(await named(), hashKey('a-second-value'))
      await endValues(store.db, key, { which: (each) => each.id === id, at: 20, now: 20 })
      assert.equal(await named(), hashKey(value))
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
