import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { closeRecord, ENGINES, openRecord, testStores } from '../../../test/test-store.ts'
import { createKey } from '../../store/control/keys.ts'
import { ensureWorkspace } from '../../store/control/workspaces.ts'
import { keyUsage } from './key-usage.ts'

const stores = await testStores()

for (const engine of ENGINES) {
  describe(engine, () => {
    test('a key shows its newest call and the exact sum of its costs; another one none of it', async () => {
      const { db, requestLog } = await stores.openNew(engine)
      await ensureWorkspace(db, 'default', 1)
      const make = async (name: string) => (await createKey(db, { kind: 'live', workspace: 'default', name }, 1)).key.id
      const [used, other, unused] = [await make('used'), await make('other'), await make('unused')]
      const costs: [key: string, startedAt: number, cost: string | null][] = [
        [used, 5_000, '9007199254740993'],
        [used, 7_200_000, '7'],
        [used, 7_200_001, null],
        [other, 9_000_000, '4000000000000000000'],
        [other, 9_000_000, '4000000000000000000'],
        [other, 99_000_000, '4000000000000000000'],
      ]
      for (const [index, [keyId, startedAt, costPicodollars]] of costs.entries()) {
        await requestLog.open(openRecord(`r${index}`, { keyId, startedAt }))
        await requestLog.close(closeRecord(`r${index}`, { keyId, startedAt, costPicodollars }))
      }
      await requestLog.caughtUp()
      const usage = await keyUsage(db, [used, other, unused])
      assert.deepEqual(usage(used), { lastUsedAt: 7_200_001, spent: 9007199254741000n })
      assert.deepEqual(usage(other), { lastUsedAt: 99_000_000, spent: 12_000_000_000_000_000_000n })
      assert.deepEqual(usage(unused), { lastUsedAt: null, spent: 0n })
      assert.deepEqual((await keyUsage(db, []))(used), { lastUsedAt: null, spent: 0n })
    })
  })
}
