import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Kysely, sql } from 'kysely'
import { closeRecord, testStores } from '../../../test/test-store.ts'
import type { Database } from '../../store/engine/schema.ts'
import { createFold } from '../fold/fold.ts'
import { readPosition } from '../fold/position.ts'
import { closeLine, type SpoolRow } from '../spool/record-lines.ts'
import { ensurePartitions, partitionDays } from './partitions.ts'

const stores = await testStores()
const DAY_MS = 86_400_000
const today = Math.floor(Date.now() / DAY_MS) * DAY_MS

function spooled(lines: readonly string[], after: number): SpoolRow[] {
  return lines.map((payload, index) => ({ seq: after + index + 1, payload }))
}

/** The definition of every index, without its name and table. */
async function indexesOf(db: Kysely<Database>, table: string): Promise<string[]> {
  const found = await sql<{ definition: string }>`
    select indexdef as definition from pg_indexes where tablename = ${table}`.execute(db)
  return found.rows.map(({ definition }) => definition.replace(/^.* USING/, '')).sort()
}

describe('the log of PostgreSQL', () => {
  test('a new day has every index of the log', async () => {
    const { db } = await stores.openNew('postgres')
    await ensurePartitions(db, [0])
    const indexes = await indexesOf(db, 'requests')
    assert.equal(indexes.length, 12)
    assert.deepEqual(await indexesOf(db, 'requests_19700101'), indexes)
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
    const folder = createFold(db, 'late')
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
    await createFold(db, 'mad').fold(await readPosition(db, 'mad'), spooled(lines, 0))
    const rejects = await db.selectFrom('spool_rejects').select('seq').orderBy('seq').execute()
    assert.deepEqual(rejects, [{ seq: 1 }, { seq: 2 }])
  })
})
