import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Kysely, sql } from 'kysely'
import { assertSumsEqualRows } from '../../../test/store/sums-of-rows.ts'
import { closeRecord, openRecord, testStores } from '../../../test/test-store.ts'
import type { Database } from '../../store/engine/schema.ts'
import { partitionRequests } from '../../store/migrations/partition-migration.ts'
import { createFolder, readPosition } from '../fold/fold.ts'
import { closeLine, openLine, type SpoolRow } from '../spool/lines.ts'
import { ensurePartitions, partitionDays } from './partitions.ts'

const stores = await testStores()
const DAY_MS = 86_400_000
const today = Math.floor(Date.now() / DAY_MS) * DAY_MS

function spooled(lines: readonly string[], after: number): SpoolRow[] {
  return lines.map((payload, index) => ({ seq: after + index + 1, payload }))
}

/** Name and definition of every index, with `requests` for the table's own name. */
async function indexesOf(db: Kysely<Database>, table: string): Promise<string[]> {
  const found = await sql<{ definition: string }>`
    select indexdef as definition from pg_indexes where tablename = ${table}`.execute(db)
  return found.rows.map(({ definition }) => definition.replace(/^.* USING/, '')).sort()
}

/** The table as it was before there were partitions, with its rows and indexes. */
async function joinTogether(db: Kysely<Database>): Promise<void> {
  const statements = [
    'create table joined (like requests including defaults)',
    'insert into joined select * from requests',
    'drop table requests',
    'alter table joined rename to requests',
    'alter table requests add primary key (id)',
    'create index requests_workspace on requests (workspace, started_at)',
    'create index requests_route on requests (workspace, route, started_at)',
    'create index requests_key on requests (key_id, started_at)',
    "create index requests_open on requests (node) where state = 'open'",
    `create index requests_idempotency on requests (key_id, idempotency_key, started_at)
      where idempotency_key is not null`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}

describe('the log of PostgreSQL', () => {
  test('an older one is divided into days with every row, and calls that ran then are closed afterwards', async () => {
    const { db } = await stores.openNew('postgres')
    const fresh = await indexesOf(db, 'requests')
    const folder = createFolder(db, 'a')
    const first = await readPosition(db, 'a')
    const lines = Array.from({ length: 300 }, (_, index) =>
      closeLine(closeRecord(`call-${index}`, { startedAt: today - (index % 40) * DAY_MS + index })),
    )
    const running = openRecord('running', { startedAt: today - DAY_MS - 1 })
    const position = await folder.fold(first, spooled([...lines, openLine(running)], 0))
    const rows = () => db.selectFrom('requests').selectAll().orderBy('id').execute()
    const before = await rows()
    await joinTogether(db)
    assert.deepEqual(await rows(), before)

    await db.transaction().execute((transaction) => partitionRequests(transaction, 'postgres'))
    assert.deepEqual(await rows(), before)
    assert.deepEqual(await indexesOf(db, 'requests'), fresh)
    const days = await partitionDays(db)
    assert.deepEqual(
      days,
      Array.from({ length: 40 }, (_, index) => today - (39 - index) * DAY_MS),
    )
    await ensurePartitions(db, [0])
    const madeLater = await indexesOf(db, 'requests_19700101')
    assert.equal(madeLater.length, fresh.length)
    assert.deepEqual(await indexesOf(db, `requests_${isoDay(today)}`), madeLater)

    const end = closeLine(closeRecord('running', { startedAt: running.startedAt }))
    await createFolder(db, 'a').fold(position, spooled([end], position))
    const open = await db.selectFrom('requests').select('id').where('state', '=', 'open').execute()
    assert.deepEqual(open, [])
    assert.equal((await rows()).length, before.length)
    await assertSumsEqualRows(db, 'default')
  })

  test('many nodes make the same partitions at once, while a reader is in the middle of the log', async () => {
    const { db, reads } = await stores.openNew('postgres')
    const days = Array.from({ length: 6 }, (_, index) => (100 + index) * DAY_MS)
    const made = reads.transaction().execute(async (reader) => {
      await reader.selectFrom('requests').select('id').execute()
      await Promise.all(Array.from({ length: 10 }, (_, node) => ensurePartitions(db, days.slice(node % 4))))
      await reader.selectFrom('requests').select('id').execute()
    })
    await made
    const present = new Set(await partitionDays(db))
    assert.deepEqual(
      days.filter((day) => !present.has(day)),
      [],
    )
  })

  test('the fold makes what late rows need, also once more when another node has dropped it, and tomorrow', async () => {
    const { db } = await stores.openNew('postgres')
    const folder = createFolder(db, 'late')
    const close = (id: string) => spooled([closeLine(closeRecord(id, { startedAt: 5 * DAY_MS }))], Number(id))
    await folder.fold(await readPosition(db, 'late'), close('0'))
    assert.deepEqual((await partitionDays(db)).slice(0, 1), [5 * DAY_MS])
    assert.ok((await partitionDays(db)).includes(today + DAY_MS))
    await sql`drop table requests_19700106`.execute(db)
    await assert.rejects(folder.fold(1, close('1')), /no partition/)
    await folder.fold(1, close('1'))
    const rows = await db.selectFrom('requests').select('id').execute()
    assert.deepEqual(rows, [{ id: '1' }])
  })

  test('a record of an impossible time is set aside', async () => {
    const { db } = await stores.openNew('postgres')
    const lines = [-1, 9e15].map((startedAt, index) => closeLine(closeRecord(`mad-${index}`, { startedAt })))
    await createFolder(db, 'mad').fold(await readPosition(db, 'mad'), spooled(lines, 0))
    const rejects = await db.selectFrom('spool_rejects').select('seq').orderBy('seq').execute()
    assert.deepEqual(rejects, [{ seq: 1 }, { seq: 2 }])
  })
})

function isoDay(day: number): string {
  return new Date(day).toISOString().slice(0, 10).replaceAll('-', '')
}
