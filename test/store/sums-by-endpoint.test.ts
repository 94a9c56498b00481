import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { Kysely, sql } from 'kysely'
import { readUsage } from '../../src/request-log/usage/usage.ts'
import { postgresDialect } from '../../src/store/engine/postgres-pool.ts'
import type { Database } from '../../src/store/engine/schema.ts'
import { openSqlite } from '../../src/store/engine/sqlite-connection.ts'
import { sqliteDialect } from '../../src/store/engine/sqlite-dialect.ts'
import { MIGRATIONS, migrate } from '../../src/store/migrations/migrations.ts'
import { sumByEndpoint } from '../../src/store/migrations/sum-by-endpoint.ts'
import { logCalls } from '../calls/any-call.ts'
import { startPostgres } from '../postgres.ts'
import { ENGINES } from '../test-store.ts'

const HOUR = 3_600_000
const server = await startPostgres()
const folder = mkdtempSync(join(tmpdir(), 'switchyard-endpoint-'))
after(async () => {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
})

for (const engine of ENGINES) {
  describe(`sums from before they were kept by endpoint, on ${engine}`, () => {
    test('are still there, without one; the same hour goes on beside them', async () => {
      const url = engine === 'sqlite' ? null : await server.createDatabase()
      const dialect =
        url === null
          ? sqliteDialect(openSqlite(join(folder, 'before.db'), false))
          : postgresDialect({ url, connections: 1, queryTimeoutMs: null, onIdleError() {} })
      await using db = new Kysely<Database>({ dialect })
      const before = MIGRATIONS.slice(0, MIGRATIONS.indexOf(sumByEndpoint))
      await migrate(db, engine, 1, { migrations: before, compatible: 1 })
      for (const [table, time] of [
        ['usage_hours', 'hour'],
        ['usage_days', 'day'],
      ] as const) {
        const names = await columnsOf(db, engine, table)
        // Another hour or day a row, and another figure a column.
        for (const row of [1, 2, 3]) {
          const values = names.map((name, place) => {
            if (name === time) return row * (time === 'hour' ? HOUR : 24 * HOUR)
            return ['workspace', 'key_id', 'route', 'provider', 'model', 'code'].includes(name)
              ? `'${name}'`
              : row * 1000 + place
          })
          await sql.raw(`insert into ${table} (${names.join(', ')}) values (${values.join(', ')})`).execute(db)
        }
      }
      const sums = await allSums(db)
      await migrate(db, engine, 2)
      assert.deepEqual(
        await allSums(db),
        sums.map((rows) => rows.map((row) => ({ ...row, endpoint: '', cache_hits: 0, saved_picodollars: 0 }))),
      )
      if (url !== null) {
        await sql`create table requests_19700101 partition of requests for values from (0) to (86400000)`.execute(db)
      }
      await logCalls(db, 'workspace', [{ endpoint: 'chat', startedAt: HOUR + 5 }])
      const query = { workspace: 'workspace', from: HOUR, to: 2 * HOUR, now: 3 * HOUR, interval: null, filters: {} }
      const { rows } = await readUsage(db, { ...query, groupBy: 'endpoint' })
      assert.deepEqual(
        rows.map(({ group, requests, costPicodollars }) => [group, requests, costPicodollars]),
        [
          [[''], Number(sums[0]?.[0]?.['requests']), BigInt(String(sums[0]?.[0]?.['cost_picodollars']))],
          [['chat'], 1, 42n],
        ],
      )
      assert.deepEqual(await indexesOf(db, engine), ['usage_days_key', 'usage_hours_key'])
    })
  })
}

/** Every column of both tables, row by row. */
async function allSums(db: Kysely<Database>): Promise<Record<string, unknown>[][]> {
  const hours = await sql<Record<string, unknown>>`select * from usage_hours order by hour`.execute(db)
  const days = await sql<Record<string, unknown>>`select * from usage_days order by day`.execute(db)
  return [hours, days].map(({ rows }) => rows.map((row) => ({ ...row })))
}

async function columnsOf(db: Kysely<Database>, engine: string, table: string): Promise<string[]> {
  const found =
    engine === 'sqlite'
      ? sql<{ name: string }>`select name from pragma_table_info(${table})`
      : sql<{ name: string }>`select column_name as name from information_schema.columns where table_name = ${table}`
  return (await found.execute(db)).rows.map(({ name }) => name)
}

async function indexesOf(db: Kysely<Database>, engine: string): Promise<string[]> {
  const found =
    engine === 'sqlite'
      ? sql<{ name: string }>`select name from sqlite_master where type = 'index' and name like 'usage%'`
      : sql<{
          name: string
        }>`select indexname as name from pg_indexes where indexname like 'usage%key' and indexname not like '%pkey'`
  return (await found.execute(db)).rows.map(({ name }) => name).sort()
}
