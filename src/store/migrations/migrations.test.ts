import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Kysely, sql } from 'kysely'
import { hello, startHarness } from '../../../test/harness.ts'
import { managing } from '../../../test/management/manage.ts'
import { startPostgres } from '../../../test/postgres.ts'
import { postgresDialect } from '../engine/postgres-pool.ts'
import type { Database } from '../engine/schema.ts'
import { FIRST_SCHEMA, KNOWN_SCHEMA, MIGRATIONS, type Migration, type MigrationPlan, migrate } from './migrations.ts'

const server = await startPostgres()
after(() => server.stop())

function connect(url: string): Kysely<Database> {
  return new Kysely({ dialect: postgresDialect({ url, connections: 1, queryTimeoutMs: null, onIdleError() {} }) })
}

async function migrateAt(url: string, plan?: MigrationPlan): Promise<void> {
  const db = connect(url)
  await migrate(db, 'postgres', Date.now(), plan).finally(() => db.destroy())
}

/** What a next version may do while this one serves. */
const addThings: Migration = async (db) => {
  await sql`alter table requests add column later text`.execute(db)
  await sql`alter table keys add column later text`.execute(db)
  await sql`create table later (id text primary key, at bigint not null)`.execute(db)
}

const nextVersion = (compatible: number) => ({ migrations: [...MIGRATIONS, addThings], compatible })

test('ten nodes may start at once on an empty database: each migration happens once', async () => {
  const url = await server.createDatabase()
  await Promise.all(Array.from({ length: 10 }, () => migrateAt(url)))
  const db = connect(url)
  const { rows } = await sql`select count(*) as applied, max(version) as newest from schema_versions`.execute(db)
  await db.destroy()
  assert.deepEqual(rows, [{ applied: MIGRATIONS.length, newest: KNOWN_SCHEMA }])
})

test('a gateway serves, logs and is managed on after a newer one has added to its schema; it also starts on it', async () => {
  const url = await server.createDatabase()
  const environment = { DATABASE_URL: url }
  const old = await startHarness({ environment })
  const manage = managing(() => old)
  assert.equal((await old.chat(hello('gpt-any'))).status, 200)
  await migrateAt(url, nextVersion(KNOWN_SCHEMA))
  assert.equal((await old.chat(hello('gpt-any'))).status, 200)
  const made = await manage('POST', '/keys', { name: 'made-on-the-newer-schema' })
  assert.equal(made.status, 201)
  const authorization = `Bearer ${made.json.value}`
  assert.equal((await old.chat(hello('gpt-any'), { authorization })).status, 200)
  assert.equal((await old.rows()).filter(({ state, status }) => state === 'closed' && status === 200).length, 3)
  assert.equal((await manage('GET', '/usage')).json.total.requests, 3)
  await old.stop()

  const again = await startHarness({ environment })
  assert.equal((await again.chat(hello('gpt-any'), { authorization })).status, 200)
  await again.stop()
})

test('a gateway does not start on a schema that a newer one says it cannot work with', async () => {
  const url = await server.createDatabase()
  await migrateAt(url)
  await migrateAt(url, nextVersion(KNOWN_SCHEMA + 1))
  await assert.rejects(
    migrateAt(url),
    /has schema version \d+, this gateway knows \d+: it was migrated by a newer version/,
  )
})

test('a database of an earlier development version is refused, with what to do, and stays as it is', async () => {
  const url = await server.createDatabase()
  const db = connect(url)
  await sql`create table schema_versions (version bigint primary key, applied_at bigint not null)`.execute(db)
  await sql`insert into schema_versions values (1, 1), (${FIRST_SCHEMA - 1}, 2)`.execute(db)
  const refusal = /earlier development version.* start with an empty DATA_DIR or database.*switchyard export/
  await assert.rejects(migrateAt(url), refusal)
  await assert.rejects(startHarness({ environment: { DATABASE_URL: url } }), refusal)
  const { rows } = await sql`select version from schema_versions order by version`.execute(db)
  const tables = await sql`select table_name from information_schema.tables where table_schema = 'public'`.execute(db)
  await db.destroy()
  assert.deepEqual(rows, [{ version: 1 }, { version: FIRST_SCHEMA - 1 }])
  assert.deepEqual(tables.rows, [{ table_name: 'schema_versions' }])
})
