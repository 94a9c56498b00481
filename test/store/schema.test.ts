import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { Kysely, sql, type Transaction } from 'kysely'
import { USAGE_DIMENSIONS } from '../../src/domain/log/usage-dimensions.ts'
import { REQUEST_COLUMNS } from '../../src/request-log/row.ts'
import { AMOUNTS, COUNTS } from '../../src/request-log/usage/rollup.ts'
import type { Engine } from '../../src/store/engine/engine.ts'
import { postgresDialect } from '../../src/store/engine/postgres-pool.ts'
import type { Database } from '../../src/store/engine/schema.ts'
import { openSqlite } from '../../src/store/engine/sqlite-connection.ts'
import { sqliteDialect } from '../../src/store/engine/sqlite-dialect.ts'
import { KNOWN_SCHEMA, MIGRATIONS, type Migration, migrate } from '../../src/store/migrations/migrations.ts'
import { startPostgres } from '../postgres.ts'

const server = await startPostgres()
const folder = mkdtempSync(join(tmpdir(), 'switchyard-schema-'))
after(async () => {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
})
let files = 0

async function freshDatabase(engine: Engine): Promise<Kysely<Database>> {
  if (engine === 'sqlite') {
    return new Kysely({ dialect: sqliteDialect(openSqlite(join(folder, `${++files}.db`), false)) })
  }
  const url = await server.createDatabase()
  return new Kysely({ dialect: postgresDialect({ url, connections: 1, queryTimeoutMs: null, onIdleError() {} }) })
}

/** Name, whether it may be null, and place in the primary key (0: none) of every column. */
async function columnsOf(db: Kysely<Database>, engine: Engine, table: string): Promise<string[]> {
  const found =
    engine === 'sqlite'
      ? sql<{ name: string; required: number; key: number }>`
          select name, "notnull" as required, pk as key from pragma_table_info(${table})`
      : sql<{ name: string; required: number; key: number }>`
          select attname as name, case when attnotnull then 1 else 0 end as required,
            coalesce(array_position(indkey::int2[], attnum) + 1, 0) as key
          from pg_attribute left join pg_index on indrelid = attrelid and indisprimary
          where attrelid = ${table}::regclass and attnum > 0 and not attisdropped`
  return (await found.execute(db)).rows.map(({ name, required, key }) => `${name} ${required} ${key}`).sort()
}

const names = (columns: readonly string[]) => columns.map((column) => column.split(' ', 1)[0])

/** The columns of a table of sums as the code has them, those of its key numbered. */
function sumsColumns(time: string, dimensions: readonly string[]): string[] {
  const key = ['workspace', time, ...dimensions].map((name, index) => `${name} 1 ${index + 1}`)
  return [...key, ...Object.keys({ ...COUNTS, ...AMOUNTS }).map((name) => `${name} 1 0`)].sort()
}

const dimensions = USAGE_DIMENSIONS.map(({ column }) => column)
const withRegion = [...dimensions, 'region']

/** What a later version would do to keep its sums by one more column. SQLite cannot change a primary key: it copies. */
const addRegion: Migration = async (db, engine) => {
  await sql`alter table requests add column region text`.execute(db)
  for (const [table, time] of [
    ['usage_hours', 'hour'],
    ['usage_days', 'day'],
  ] as const) {
    const key = sql.join(['workspace', time, ...withRegion].map((name) => sql.ref(name)))
    if (engine === 'sqlite') await copyWithRegion(db, table, time)
    else {
      await sql`alter table ${sql.table(table)} add column region text not null default ''`.execute(db)
      await sql`alter table ${sql.table(table)} drop constraint ${sql.ref(`${table}_pkey`)}`.execute(db)
      await sql`alter table ${sql.table(table)} add primary key (${key})`.execute(db)
    }
  }
}

async function copyWithRegion(db: Transaction<Database>, table: string, time: string): Promise<void> {
  const found = await sql<{ sql: string }>`select sql from sqlite_master where name = ${table}`.execute(db)
  const created = found.rows[0]?.sql ?? ''
  const made = created
    .replace('code text not null', `code text not null, region text not null default ''`)
    .replace(
      `primary key (workspace, ${time}, ${dimensions.join(', ')})`,
      `primary key (workspace, ${time}, ${withRegion.join(', ')})`,
    )
    .replace(table, `${table}_next`)
  const columns = sql.join(
    ['workspace', time, ...dimensions, ...Object.keys({ ...COUNTS, ...AMOUNTS })].map((name) => sql.ref(name)),
  )
  await sql.raw(made).execute(db)
  await sql`insert into ${sql.table(`${table}_next`)} (${columns}) select ${columns} from ${sql.table(table)}`.execute(
    db,
  )
  await sql`drop table ${sql.table(table)}`.execute(db)
  await sql`alter table ${sql.table(`${table}_next`)} rename to ${sql.table(table)}`.execute(db)
}

const LATER = { migrations: [...MIGRATIONS, addRegion], compatible: KNOWN_SCHEMA + 1 }

for (const engine of ['sqlite', 'postgres'] as const) {
  describe(`the schema on ${engine}`, () => {
    test('the migrations make the columns that the tables of the code read and write', async () => {
      await using db = await freshDatabase(engine)
      await migrate(db, engine, 1)
      assert.deepEqual(names(await columnsOf(db, engine, 'requests')), [...REQUEST_COLUMNS].sort())
      assert.deepEqual(await columnsOf(db, engine, 'usage_hours'), sumsColumns('hour', dimensions))
      assert.deepEqual(await columnsOf(db, engine, 'usage_days'), sumsColumns('day', dimensions))
      const unitKey = ['workspace', 'step', 'start', ...dimensions, 'unit']
      const units = [...unitKey.map((name, index) => `${name} 1 ${index + 1}`), 'quantity 1 0']
      assert.deepEqual(await columnsOf(db, engine, 'usage_units'), units.sort())
    })

    test('a migration adds a dimension to a fresh install and to one with sums: both have the same schema', async () => {
      await using fresh = await freshDatabase(engine)
      await migrate(fresh, engine, 1, LATER)
      await using older = await freshDatabase(engine)
      await migrate(older, engine, 1)
      const row = sql.join(
        [...Array(2 + dimensions.length).keys()].map((index) => sql.lit(index === 1 ? 3_600_000 : 'x')),
      )
      const figures = sql.join(Object.keys({ ...COUNTS, ...AMOUNTS }).map(() => sql.lit(7)))
      const columns = sql.join(
        ['workspace', 'hour', ...dimensions, ...Object.keys({ ...COUNTS, ...AMOUNTS })].map((name) => sql.ref(name)),
      )
      await sql`insert into usage_hours (${columns}) values (${row}, ${figures})`.execute(older)
      await migrate(older, engine, 2, LATER)
      for (const [table, time] of [
        ['usage_hours', 'hour'],
        ['usage_days', 'day'],
      ] as const) {
        const schema = await columnsOf(older, engine, table)
        assert.deepEqual(schema, sumsColumns(time, withRegion))
        assert.deepEqual(await columnsOf(fresh, engine, table), schema)
      }
      const kept = await sql`select region, requests, cost_picodollars from usage_hours`.execute(older)
      assert.deepEqual(Object.assign({}, kept.rows[0]), { region: '', requests: 7, cost_picodollars: 7 })
    })
  })
}
