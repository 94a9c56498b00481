import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { anyCall, logCalls } from '../../../test/calls/any-call.ts'
import { fc } from '../../../test/property.ts'
import { sorted, sumsOfTable } from '../../../test/store/sums-of-rows.ts'
import { ENGINES, testStores } from '../../../test/test-store.ts'
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
        { numRuns: 40 },
      )
    })
  })
}
