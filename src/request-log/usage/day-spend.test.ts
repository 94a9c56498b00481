import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { logCalls } from '../../../test/calls/any-call.ts'
import { until } from '../../../test/harness.ts'
import { ENGINES, testStores } from '../../../test/test-store.ts'
import { readDaySpend, wholeDays } from './day-spend.ts'
import { DAY_MS, readDaysUntil } from './rollup.ts'

const stores = await testStores()

for (const engine of ENGINES) {
  describe(`spend by day, on ${engine}`, async () => {
    const { db, reads } = await stores.openNew(engine)
    await until(async () => (await readDaysUntil(db)) > 0, 'the worker has looked')
    const START = Math.floor((await readDaysUntil(db)) / DAY_MS) * DAY_MS - 3 * DAY_MS
    const call = (keyId: string, day: number, costPicodollars: string | null) => {
      const startedAt = START + day * DAY_MS
      return { keyId, startedAt, finishedAt: startedAt, costPicodollars }
    }
    await logCalls(db, 'team', [
      call('key-1', 0, '30000000000000007'),
      call('key-2', 0, '30000000000000001'),
      call('key-2', 2, '5'),
      call('key-2', 1, null),
      // The day of now is not whole yet.
      call('key-1', 3, '100'),
    ])

    test('a key and the workspace, zeros included, beyond 53 bits, up to yesterday', async () => {
      const spend = await readDaySpend(reads, { workspace: 'team', keyIds: null, from: START })
      assert.deepEqual(wholeDays(spend, 'key-1', START), [30_000_000_000_000_007n, 0n, 0n])
      assert.deepEqual(wholeDays(spend, 'key-2', START), [30_000_000_000_000_001n, 0n, 5n])
      assert.deepEqual(wholeDays(spend, null, START), [60_000_000_000_000_008n, 0n, 5n])
    })

    test('a key that was created on the first day begins with the second', async () => {
      const spend = await readDaySpend(reads, { workspace: 'team', keyIds: ['key-2'], from: START })
      assert.deepEqual(wholeDays(spend, 'key-2', START + 1), [0n, 5n])
      assert.deepEqual(wholeDays(spend, 'key-1', START), [0n, 0n, 0n])
    })
  })
}
