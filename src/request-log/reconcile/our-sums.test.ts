import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { closeRecord, ENGINES, testStores } from '../../../test/test-store.ts'
import type { Store } from '../../app/open-store.ts'
import { compilePrice, costOf, NO_PRICES, type PriceList } from '../../domain/pricing/price.ts'
import { NO_USAGE } from '../../domain/pricing/usage.ts'
import { addPriceVersion } from '../../store/control/registry.ts'
import { missingRows } from './missing-rows.ts'
import { crossingsForReconciliation, sumsForReconciliation } from './our-sums.ts'

const stores = await testStores()
const HOUR = 3_600_000
const DAY = Date.parse('2026-11-03T00:00:00Z')
const TIER = { ...NO_PRICES, input_per_mtok: '5', output_per_mtok: '30', prompt_tokens_above: 1_000 }
const LIST: PriceList = {
  ...{ ...NO_PRICES, input_per_mtok: '2.5', cached_input_per_mtok: '0.25', output_per_mtok: '15' },
  tiers: [TIER],
}
const STRETCH = { workspace: 'default', from: DAY, to: DAY + 24 * HOUR, width: HOUR }

for (const engine of ENGINES) {
  describe(`our side on ${engine}`, () => {
    let store: Store
    before(async () => {
      store = await stores.openNew(engine)
      const version = { provider: 'first', model: 'model-1', prices: LIST, source: 'test' }
      const priceVersion = await addPriceVersion(store.db, version, 1)
      const price = compilePrice(LIST)
      const calls = [
        { at: DAY, usage: { input: 900, cachedInput: 100, output: 20 } },
        { at: DAY + 1, usage: { input: 901, cachedInput: 100, output: 20 } },
        { at: DAY + 2, usage: { input: 33, output: 7, pricePercent: 110 } },
        { at: DAY + HOUR - 1, usage: { input: 10, output: 2 }, took: 2 },
        { at: DAY + 2 * HOUR, usage: { input: 12_000, output: 900 } },
      ]
      const written = calls.map(({ at, usage, took }, index) => {
        const counted = { ...NO_USAGE, ...usage }
        return store.requestLog.close(
          closeRecord(`call-${index}`, {
            ...{ startedAt: at, finishedAt: at + (took ?? 0), usage: counted, priceVersion },
            costPicodollars: String(costOf(counted, price)),
          }),
        )
      })
      await Promise.all(written)
      await store.requestLog.caughtUp()
    })

    test('tokens and amounts by class and hour add up to the cost of the rows', async () => {
      const sums = await sumsForReconciliation(store.reads, STRETCH)
      const paid = await store.db.selectFrom('requests').select('cost_picodollars').execute()
      const total = sums.reduce(
        (sum, { amounts, fees }) => [...amounts.values()].reduce((a, b) => a + b, sum + fees),
        0n,
      )
      assert.equal(
        total,
        paid.reduce((sum, row) => sum + BigInt(row.cost_picodollars ?? 0), 0n),
      )
      const inputs = sums.map(({ start, tokens, requests }) => [(start - DAY) / HOUR, tokens.get('input'), requests])
      assert.deepEqual(inputs.sort(), [
        [0, 33n, 1n],
        [0, 901n, 1n],
        [0, 910n, 2n],
        [2, 12_000n, 1n],
      ])
      assert.ok(sums.every(({ prices, fees }) => prices?.get('input') === 2_500_000n && fees === 0n))
    })

    test('calls without an answer are counted with their bounds', async () => {
      const [most, at] = ['136440000000', DAY + 40 * HOUR]
      const bounds = { unconfirmedEstimate: most, unconfirmedMost: most }
      await store.requestLog.close(
        closeRecord('cut', { startedAt: at, finishedAt: at, usage: null, costPicodollars: null, ...bounds }),
      )
      await store.requestLog.caughtUp()
      const [found, ...more] = await sumsForReconciliation(store.reads, { ...STRETCH, from: at, to: at + HOUR })
      assert.deepEqual(found?.unconfirmed, { calls: 1n, least: 0n, most: BigInt(most), ids: ['cut'] })
      assert.deepEqual([found?.requests, found?.tokens.size, more.length], [0n, 0, 0])
    })

    test('calls that end in a later hour', async () => {
      assert.deepEqual(await crossingsForReconciliation(store.reads, STRETCH), [
        {
          ...{ provider: 'first', model: 'model-1', startedAt: DAY, finishedAt: DAY + HOUR },
          amount: 10n * 2_500_000n + 2n * 15_000_000n,
        },
      ])
    })

    test('a row that was deleted is missing, with its hour and cost', async () => {
      assert.deepEqual(await missingRows(store.reads, STRETCH), [])
      await store.db.deleteFrom('requests').where('id', '=', 'call-4').execute()
      const start = DAY + 2 * HOUR
      const amount = 12_000n * 5_000_000n + 900n * 30_000_000n
      assert.deepEqual(await missingRows(store.reads, STRETCH), [
        { provider: 'first', model: 'model-1', start, end: start + HOUR, requests: 1n, amount },
      ])
    })
  })
}
