import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { atLength } from '../../../test/at-length.ts'
import { anyCall, logCalls } from '../../../test/calls/any-call.ts'
import { fc } from '../../../test/property.ts'
import { assertUnitsEqualRows, sorted, sumsOfTable } from '../../../test/store/sums-of-rows.ts'
import { ENGINES, testStores } from '../../../test/test-store.ts'
import { addUsageUnits } from '../../store/migrations/usage-units.ts'
import { rollUpStatement } from '../usage/rollup.ts'

const stores = await testStores()
let runs = 0

/** Far beyond 64 bits when there are a few of them. */
const madCall = fc.constant({ costPicodollars: String(2n ** 63n - 1n), code: null })

for (const engine of ENGINES) {
  describe(`sums in hand on ${engine}`, async () => {
    const { db } = await stores.openNew(engine)

    test('property: what the fold adds is what the database would read from the rows', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(fc.oneof(anyCall, madCall), { minLength: 1, maxLength: 80 }), async (calls) => {
          const workspace = `sums-${engine}-${++runs}`
          await logCalls(db, workspace, calls)
          const added = sorted(await sumsOfTable(db, workspace))
          await db.deleteFrom('usage_hours').where('workspace', '=', workspace).execute()
          await rollUpStatement(sql`workspace = ${workspace}`).execute(db)
          assert.deepEqual(added, sorted(await sumsOfTable(db, workspace)))
        }),
        { numRuns: atLength(15, 40) },
      )
    })

    test('the units of rows from before there were sums of them are added up by the migration', async () => {
      const uses = { 'image:1024x1024:high': 2, character: Number.MAX_SAFE_INTEGER }
      const calls = Array.from({ length: 30 }, (_, index) => ({ uses, startedAt: index * 5_000_000 }))
      await logCalls(db, 'before', calls)
      await db.schema.dropTable('usage_units').execute()
      await db.schema.dropIndex('requests_uses').execute()
      await db.transaction().execute((transaction) => addUsageUnits(transaction, engine))
      await assertUnitsEqualRows(db, 'before')
      assert.equal(
        (await db.selectFrom('usage_units').select('unit').where('workspace', '=', 'before').execute()).length > 30,
        true,
      )
    })
  })
}
