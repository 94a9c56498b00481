import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { Kysely } from 'kysely'
import { appendToFeed } from '../../src/request-log/feed/append-feed.ts'
import { expireFeed, feedProblem } from '../../src/request-log/feed/read-feed.ts'
import type { Engine } from '../../src/store/engine/engine.ts'
import { postgresDialect } from '../../src/store/engine/postgres-pool.ts'
import type { Database } from '../../src/store/engine/schema.ts'
import { openSqlite } from '../../src/store/engine/sqlite-connection.ts'
import { sqliteDialect } from '../../src/store/engine/sqlite-dialect.ts'
import { migrate } from '../../src/store/migrations/migrations.ts'
import { startPostgres } from '../postgres.ts'

const server = await startPostgres()
const folder = mkdtempSync(join(tmpdir(), 'switchyard-feed-order-'))
after(async () => {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
})

let files = 0

async function fresh(engine: Engine): Promise<Kysely<Database>> {
  const dialect =
    engine === 'sqlite'
      ? sqliteDialect(openSqlite(join(folder, `${++files}.db`), false))
      : postgresDialect({
          ...{ url: await server.createDatabase(), connections: 6, queryTimeoutMs: null, onIdleError() {} },
        })
  const db = new Kysely<Database>({ dialect })
  await migrate(db, engine, 1)
  return db
}

for (const engine of ['sqlite', 'postgres'] as const) {
  describe(`positions of the feed on ${engine}`, () => {
    test('who reads while others write never sees a gap, and misses nothing', async () => {
      await using db = await fresh(engine)
      const batches = 60
      let isWriting = true
      const write = async (writer: number) => {
        for (let n = 0; n < batches / 5; n += 1) {
          await db.transaction().execute(async (transaction) => {
            await transaction.selectFrom('settings').selectAll().execute()
            await appendToFeed(transaction, [{ id: `${writer}-${n}`, started_at: n }])
            // A commit that comes late must not be overtaken.
            await transaction.selectFrom('settings').selectAll().execute()
          })
        }
      }
      const read = async () => {
        const seen: { position: number; ids: string }[] = []
        for (let isLast = false; !isLast; ) {
          isLast = !isWriting
          const last = seen.at(-1)?.position ?? 0
          const found = db.selectFrom('feed').select(['position', 'ids']).where('position', '>', last)
          seen.push(...(await found.orderBy('position').execute()))
        }
        return seen
      }
      const reading = read()
      await Promise.all([0, 1, 2, 3, 4].map(write))
      isWriting = false
      const seen = await reading
      assert.deepEqual(
        seen.map(({ position }) => Number(position)),
        Array.from({ length: batches }, (_, index) => index + 1),
      )
      assert.equal(new Set(seen.map(({ ids }) => ids)).size, batches)
    })

    test('retention keeps the last position, and a cursor before what is left is refused', async () => {
      await using db = await fresh(engine)
      for (const started_at of [10, 20, 30]) {
        await db
          .transaction()
          .execute((transaction) => appendToFeed(transaction, [{ id: `at${started_at}`, started_at }]))
      }
      const { count: before } = await positions(db)
      await expireFeed(db, 1_000)
      const { newest, count } = await positions(db)
      assert.equal(count, 1)
      assert.equal(newest, before)
      assert.equal(await feedProblem(db, { batch: newest, rows: 1 }), null)
      assert.equal(await feedProblem(db, { batch: newest - 1, rows: 1 }), 'expired')
      assert.equal(await feedProblem(db, { batch: newest + 1, rows: 0 }), 'ahead')
    })
  })
}

async function positions(db: Kysely<Database>): Promise<{ newest: number; count: number }> {
  const rows = await db.selectFrom('feed').select('position').orderBy('position').execute()
  return { newest: Number(rows.at(-1)?.position), count: rows.length }
}
