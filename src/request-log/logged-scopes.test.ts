import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { closeRecord, ENGINES, openRecord, testStores } from '../../test/test-store.ts'
import { NO_USAGE } from '../domain/pricing/usage.ts'
import type { LoggedScope } from '../limits/ledger.ts'
import { ensureWorkspace } from '../store/control/workspaces.ts'
import { readLoggedScopes } from './logged-scopes.ts'
import type { CloseRecord } from './record.ts'

const stores = await testStores()
/** A Wednesday, the third of a month: day, week and month begin on three different days. */
const NOW = Date.UTC(2026, 5, 3, 10, 30, 15, 500)
const at = (day: number, month = 5) => Date.UTC(2026, month, day, 10)
const HUGE = '4000000000000000000'

function of(scopes: readonly LoggedScope[], id: string): LoggedScope {
  const found = scopes.find(({ scope }) => scope.id === id)
  assert.ok(found, id)
  return found
}

for (const engine of ENGINES) {
  describe(engine, () => {
    test('money is that of the present periods, exact beyond 64 bits, of keys and workspaces', async () => {
      const { db, requestLog } = await stores.openNew(engine)
      await ensureWorkspace(db, 'default', 1)
      const calls: [keyId: string, startedAt: number, cost: string | null][] = [
        ['one', at(31, 0), HUGE],
        ['one', at(31, 4), '900'],
        ['one', at(1), '70'],
        ['one', at(2), '5'],
        ['one', at(3), '1'],
        ['two', at(3), '3'],
        ['two', at(3), null],
        ['two', at(31, 0), HUGE],
        ['two', at(30, 0), HUGE],
      ]
      for (const [index, [keyId, startedAt, costPicodollars]] of calls.entries()) {
        await requestLog.close(closeRecord(`r${index}`, { keyId, startedAt, costPicodollars }))
      }
      await requestLog.caughtUp()
      const scopes = await readLoggedScopes(db, NOW)
      const huge = BigInt(HUGE)
      assert.deepEqual(of(scopes, 'one').spent, { day: 1n, week: 76n, month: 76n, total: huge + 976n })
      assert.deepEqual(of(scopes, 'two').spent, { day: 3n, week: 3n, month: 3n, total: 2n * huge + 3n })
      assert.deepEqual(of(scopes, 'default').spent, { day: 4n, week: 79n, month: 79n, total: 3n * huge + 979n })
      assert.deepEqual(of(scopes, 'one').seconds, [])
    })

    test('the last minute counts admitted calls by the second; open calls hold, ended ones count what they used', async () => {
      const { db, requestLog } = await stores.openNew(engine)
      await ensureWorkspace(db, 'default', 1)
      const usage = { ...NO_USAGE, input: 10, cachedInput: 5, output: 7 }
      const second = Math.floor(NOW / 1000)
      const closed: [id: string, secondsAgo: number, change: Partial<CloseRecord>][] = [
        ['too-old', 61, { holdTokens: 500, usage }],
        ['oldest', 60, { holdTokens: 500, usage }],
        ['failed', 60, { holdTokens: 500, usage: null, code: 'upstream_error' }],
        ['refused', 2, { holdTokens: null, code: 'key_rate_limited' }],
      ]
      for (const [id, ago, change] of closed) {
        await requestLog.close(closeRecord(id, { ...change, startedAt: (second - ago) * 1000 + 1 }))
      }
      const hold = { holdPicodollars: '99', holdTokens: 300 }
      await requestLog.open(openRecord('open', { ...hold, startedAt: NOW - 1000 }))
      await requestLog.open(openRecord('open-since-may', { ...hold, startedAt: at(31, 4) }))
      await requestLog.open(
        openRecord('boundless', { holdPicodollars: '9'.repeat(30), holdTokens: 1e12, startedAt: 1 }),
      )
      await requestLog.caughtUp()
      const { seconds, inFlight, held } = of(await readLoggedScopes(db, NOW), 'key-1')
      assert.deepEqual(seconds, [
        { second: second - 60, requests: 2, tokens: 22 },
        { second: second - 1, requests: 1, tokens: 300 },
      ])
      assert.equal(inFlight, 3)
      assert.deepEqual(held, { day: 99n, week: 99n, month: 99n, total: 198n + 2n ** 63n - 1n })
    })
  })
}
