import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Kysely, sql } from 'kysely'
import pg from 'pg'
import { startPostgres } from '../../../test/postgres.ts'
import { postgresDialect } from './postgres-pool.ts'

const server = await startPostgres()
after(() => server.stop())

test('connections that break while they are set up are no loss to the pool', async (t) => {
  const connections = 2
  const dialect = postgresDialect({ url: server.url, connections, queryTimeoutMs: 5_000, onIdleError() {} })
  const db = new Kysely<Record<string, never>>({ dialect })
  t.after(() => db.destroy())
  const query = pg.Client.prototype.query as (...given: unknown[]) => unknown
  let broken = 0
  t.mock.method(pg.Client.prototype, 'query', function (this: pg.Client, ...given: unknown[]) {
    const [first] = given as [string | { text: string }]
    const text = typeof first === 'string' ? first : first.text
    if (!text.startsWith('set ') || broken > connections) return query.apply(this, given)
    broken++
    return Promise.reject(new Error('Connection terminated unexpectedly'))
  })
  for (let attempt = 0; attempt <= connections; attempt++) {
    await assert.rejects(sql`select 1`.execute(db), /terminated unexpectedly/)
  }
  const { rows } = await sql`select current_setting('statement_timeout') as timeout`.execute(db)
  assert.deepEqual(rows, [{ timeout: '6s' }])
})
