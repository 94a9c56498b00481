import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeRecord, ENGINES, openRecord, testStores } from '../../test/test-store.ts'
import { readStated } from './stated.ts'

const stores = await testStores()
const NOW = Date.parse('2026-11-18T12:00:00Z')

for (const engine of ENGINES) {
  test(`calls whose provider states another cost, on ${engine}`, async () => {
    const { requestLog, db } = await stores.openNew(engine)
    const rows: [id: string, cost: string | null, stated: string | null, more?: object][] = [
      ['equal', '5000000', '5000000'],
      ['rounded', '5000000', '5001000'],
      ['beyond-rounding', '5000000', '5001001'],
      ['below', '5001001', '5000000'],
      ['coarse', '5000000', '6000000', { statedBy: 'usage.cost.total_cost' }],
      ['unpriced', null, '5001001'],
      ['silent', '5000000', null],
      ['estimated', '5000000', '9000000', { costLeastPicodollars: '1', costMostPicodollars: '9000000' }],
      ['long-ago', '5000000', '9000000', { startedAt: NOW - 3_600_001 }],
    ]
    for (const [at, [id, costPicodollars, statedPicodollars, more]] of rows.entries()) {
      const begun = { startedAt: NOW - at, ...more }
      await requestLog.open(openRecord(id, { startedAt: begun.startedAt }))
      await requestLog.close(closeRecord(id, { costPicodollars, statedPicodollars, statedBy: 'usage.cost', ...begun }))
    }
    await requestLog.caughtUp()
    const found = await readStated(db, ['default'], NOW)
    assert.deepEqual(
      found.map(({ id, cost, stated }) => [id, cost, stated]),
      [
        ['beyond-rounding', 5_000_000n, 5_001_001n],
        ['below', 5_001_001n, 5_000_000n],
      ],
    )
    assert.deepEqual(await readStated(db, [], NOW), [])
  })
}
