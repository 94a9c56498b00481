import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Kysely, sql } from 'kysely'
import { openSqlite } from './sqlite-connection.ts'
import { sqliteDialect } from './sqlite-dialect.ts'

const folder = mkdtempSync(join(tmpdir(), 'switchyard-dialect-'))
after(() => rmSync(folder, { recursive: true, force: true }))

test('an error after which SQLite rolls back by itself is told as it is, and the next transaction works', async () => {
  const db = new Kysely<{ numbers: { n: number } }>({
    dialect: sqliteDialect(openSqlite(join(folder, 'any.db'), false)),
  })
  await sql`create table numbers (n integer)`.execute(db)
  await sql`create trigger full before insert on numbers when new.n = 2
    begin select raise(rollback, 'the disk is full'); end`.execute(db)
  const insert = (n: number) =>
    db.transaction().execute((transaction) => transaction.insertInto('numbers').values({ n }).execute())
  await assert.rejects(insert(2), /the disk is full/)
  await insert(1)
  const rows = await db.selectFrom('numbers').selectAll().execute()
  assert.deepEqual(
    rows.map((row) => row.n),
    [1],
  )
  await db.destroy()
})
