import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Kysely, sql } from 'kysely'
import { startPostgres } from '../../test/postgres.ts'
import { startPostgresProxy } from '../../test/postgres-proxy.ts'
import { isAway } from './database-away.ts'
import { postgresDialect } from './postgres-pool.ts'

const server = await startPostgres()
const proxy = await startPostgresProxy(server.url)
const options = { url: proxy.url, connections: 1, onIdleError() {} }
const db = new Kysely<Record<string, never>>({ dialect: postgresDialect({ ...options, queryTimeoutMs: 200 }) })
after(async () => {
  await db.destroy()
  await proxy.close()
  await server.stop()
})

const backend = async () => (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)).rows[0]?.pid

test('a query that was given up takes its connection with it: the next one does not wait behind it', async () => {
  const first = await backend()
  proxy.lose()
  await assert.rejects(sql`select 1`.execute(db), (error) => isAway(error))
  assert.notEqual(await backend(), first)
})

test('so does one within a transaction, whose rollback nobody would hear', async () => {
  const first = await backend()
  const given = db.transaction().execute(async (transaction) => {
    proxy.lose()
    await sql`select 1`.execute(transaction)
  })
  await assert.rejects(given, (error) => isAway(error))
  assert.notEqual(await backend(), first)
})

test('a wrong password, an unknown database and a wrong query are no reason to wait', async () => {
  const other = new Kysely<Record<string, never>>({
    dialect: postgresDialect({ ...options, url: `${proxy.url}_not_there`, queryTimeoutMs: 200 }),
  })
  await assert.rejects(sql`select 1`.execute(other), (error) => !isAway(error))
  await other.destroy()
  await assert.rejects(sql`select nonsense`.execute(db), (error) => !isAway(error))
  assert.equal(isAway(Object.assign(new Error('password authentication failed'), { code: '28P01' })), false)
})

for (const [what, error] of [
  ['a server that starts up', Object.assign(new Error('the database system is starting up'), { code: '57P03' })],
  ['a refused connection', Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' })],
  ['a pool that gets no connection', new Error('timeout exceeded when trying to connect')],
  ['a standby', Object.assign(new Error('cannot execute UPDATE in a read-only transaction'), { code: '25006' })],
] as const) {
  test(`${what} is worth waiting for`, () => assert.equal(isAway(error), true))
}
