import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { closeRecord, ENGINES, openRecord, testStores } from '../../test/test-store.ts'
import { deleteExpired } from './retention.ts'

const stores = await testStores()

for (const engine of ENGINES) {
  describe(`retention on ${engine}`, () => {
    test('old closed rows of every workspace go in small steps; open and recent ones stay', async () => {
      const { db, requestLog } = await stores.openNew(engine)
      for (let index = 0; index < 25; index++) {
        const workspace = index % 5 === 0 ? 'other' : 'default'
        await requestLog.close(closeRecord(`old-${index}`, { startedAt: index, workspace }))
      }
      await requestLog.open(openRecord('old-open', { startedAt: 1 }))
      await requestLog.close(closeRecord('new', { startedAt: 100 }))
      await requestLog.caughtUp()

      let pauses = 0
      const pause = async () => {
        pauses++
      }
      assert.equal(await deleteExpired(db, { before: 100, pause, stepRows: 6 }), 25)
      assert.equal(pauses, 3)
      const left = await db.selectFrom('requests').select('id').orderBy('id').execute()
      assert.deepEqual(left, [{ id: 'new' }, { id: 'old-open' }])
      assert.equal(await deleteExpired(db, { before: 100, pause }), 0)
    })
  })
}
