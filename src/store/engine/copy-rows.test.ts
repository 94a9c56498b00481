import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { fc } from '../../../test/property.ts'
import { testStores } from '../../../test/test-store.ts'
import { copyRows, isTaken } from './copy-rows.ts'

const { openNew } = await testStores()
const { db } = await openNew('postgres')
await sql`create table copied (id text primary key, words text, figure bigint)`.execute(db)
const COPIED = { table: 'copied', columns: ['id', 'words', 'figure'] }

test('whatever a row holds arrives as it is', async () => {
  const words = fc.option(fc.oneof(fc.string(), fc.constantFrom('\\N', '\\.', '\t\n\r\\', '', 'é 漢 😀', '"', "'")))
  const figure = fc.option(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }))
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(words, figure), { maxLength: 20 }), async (rows) => {
      const sent = rows.map(([text, number], place) => {
        return [String(place).padStart(3, '0'), text?.replaceAll('\0', '') ?? null, number] as const
      })
      await sql`truncate copied`.execute(db)
      await copyRows(db, COPIED, sent)
      const found = await sql<{ id: string; words: string | null; figure: string | null }>`
        select id, words, figure::text from copied order by id`.execute(db)
      assert.deepEqual(
        found.rows.map(({ id, words: text, figure: number }) => [id, text, number === null ? null : BigInt(number)]),
        sent,
      )
    }),
    { numRuns: 50 },
  )
})

test('a row that is there fails all of them, and the connection goes on', async () => {
  await sql`truncate copied`.execute(db)
  await copyRows(db, COPIED, [['a', null, 1]])
  const rows = [
    ...Array.from({ length: 2_000 }, (_, row) => [`b${row}`, 'x'.repeat(500), row]),
    ['a', null, 2],
  ] as const
  await assert.rejects(copyRows(db, COPIED, rows as never), isTaken)
  await assert.rejects(copyRows(db, COPIED, [['c', 'no number', 'x' as never]]), (error) => !isTaken(error))
  const found = await sql`select id, figure from copied`.execute(db)
  assert.deepEqual(found.rows, [{ id: 'a', figure: 1 }])
})
