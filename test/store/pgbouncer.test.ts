import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, test } from 'node:test'
import pg from 'pg'
import { startGateway } from '../../src/app/main.ts'
import { runChecks } from '../../src/doctor/doctor.ts'
import { newFolder, startHarness } from '../harness.ts'
import { startPgBouncer } from '../pgbouncer.ts'
import { startPostgres } from '../postgres.ts'

const postgres = await startPostgres()
after(() => postgres.stop())

test('a pooler that changes connections between transactions is told, before anything is changed', async () => {
  const databaseUrl = await postgres.createDatabase()
  const pooler = await startPgBouncer(databaseUrl, 'transaction')
  const folder = newFolder()
  try {
    const environment = { DATABASE_URL: pooler.url, DATA_DIR: folder, PORT: '0', LOG_LEVEL: 'silent' }
    await assert.rejects(startGateway(environment), /PgBouncer: pool_mode = transaction/)
    const client = new pg.Client(databaseUrl)
    await client.connect()
    const tables = await client.query(`select 1 from information_schema.tables where table_schema = 'public'`)
    await client.end()
    assert.equal(tables.rowCount, 0)
    const checks = await runChecks(environment)
    assert.match(checks.find(({ name }) => name === 'database')?.message ?? '', /set pool_mode = session/)
  } finally {
    await pooler.stop()
    rmSync(folder, { recursive: true, force: true })
  }
})

test('a pooler that keeps a session on its connection is none to us', async () => {
  const pooler = await startPgBouncer(await postgres.createDatabase(), 'session')
  const harness = await startHarness({ environment: { DATABASE_URL: pooler.url } })
  try {
    assert.equal(
      (await harness.chat({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'plain' }] })).status,
      200,
    )
    const [row] = await harness.rows()
    assert.deepEqual([row?.status, row?.code], [200, null])
  } finally {
    await harness.stop()
    await pooler.stop()
  }
})
