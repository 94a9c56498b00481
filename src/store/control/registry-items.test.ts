import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ENGINES, testStores } from '../../../test/test-store.ts'
import { NO_PRICES, type PriceList } from '../../domain/pricing/price.ts'
import { addPriceVersion, type ModelFacts, putModel } from './registry.ts'
import { findItem, listPriceVersions, listRegistry } from './registry-items.ts'

const stores = await testStores()

const facts = (provider: string, model: string, capabilities: string[] = []): ModelFacts => ({
  provider,
  model,
  aliases: [],
  contextWindow: null,
  maxOutputTokens: null,
  maxInputTokens: null,
  capabilities,
  efforts: null,
  deprecated: false,
  shutdownDate: null,
  mode: 'chat',
  note: null,
})
const prices = (input: string | null, output: string | null, tiers: PriceList['tiers'] = []): PriceList => ({
  ...NO_PRICES,
  input_per_mtok: input,
  output_per_mtok: output,
  tiers,
})

for (const engine of ENGINES) {
  describe(`the registry on ${engine}`, () => {
    test('is listed by provider and model with the newest price, filtered and paged', async () => {
      const { db } = await stores.openNew(engine)
      const price = (provider: string, model: string, list: PriceList) =>
        addPriceVersion(db, { provider, model, prices: list, source: 'test' }, 5)
      for (const [provider, model] of [
        ['b', 'y'],
        ['a', 'z'],
        ['b', 'x'],
        ['a', 'Z'],
        ['a', 'y/1'],
      ] as const) {
        await putModel(db, facts(provider, model, model === 'x' ? ['vision', 'pdf'] : ['pre_vision']), null, 1)
      }
      await price('a', 'z', prices('1', '1'))
      const newest = await price('a', 'z', prices('2', '2'))
      await price('b', 'x', prices('1', null, [{ prompt_tokens_above: 9, ...prices('1', '1') }]))
      await price('b', 'y', prices('1', '0', [{ prompt_tokens_above: 9, ...prices(null, null) }]))
      await price('a', 'y/1', prices(null, '1'))
      const names = async (filter: Parameters<typeof listRegistry>[1]) =>
        (await listRegistry(db, filter)).map(({ facts }) => `${facts.provider}/${facts.model}`).sort()

      const everything = ['a/Z', 'a/y/1', 'a/z', 'b/x', 'b/y']
      assert.deepEqual(await names({}), everything)
      assert.deepEqual(await names({ provider: 'b' }), ['b/x', 'b/y'])
      assert.deepEqual(await names({ capability: 'vision' }), ['b/x'])
      assert.deepEqual(await names({ capability: 'VISION' }), [])
      assert.deepEqual(await names({ capability: '%' }), [])
      assert.deepEqual(await names({ priced: true }), ['a/z', 'b/y'])
      assert.deepEqual(await names({ priced: false }), ['a/Z', 'a/y/1', 'b/x'])
      const found = await findItem(db, 'a', 'z')
      assert.deepEqual([found?.version?.id, found?.version?.prices.input_per_mtok], [newest, '2'])
      assert.equal((await findItem(db, 'a', 'Z'))?.version, null)
      assert.equal(await findItem(db, 'a', 'q'), null)

      const paged: string[] = []
      let after: { provider: string; model: string } | null = null
      for (;;) {
        const [item] = await listRegistry(db, { after, limit: 1 })
        if (item === undefined) break
        after = item.facts
        paged.push(`${after.provider}/${after.model}`)
      }
      assert.deepEqual(paged.toSorted(), everything)
    })

    test('keeps every version, newest first', async () => {
      const { db } = await stores.openNew(engine)
      for (const price of ['1', '2', '3']) {
        await addPriceVersion(db, { provider: 'a', model: 'm', prices: prices(price, '1'), source: 'test' }, 7)
      }
      const first = await listPriceVersions(db, { provider: 'a', model: 'm', before: null, limit: 2 })
      assert.deepEqual(
        first.map(({ prices, createdAt, source }) => [prices.input_per_mtok, createdAt, source]),
        [
          ['3', 7, 'test'],
          ['2', 7, 'test'],
        ],
      )
      const rest = await listPriceVersions(db, { provider: 'a', model: 'm', before: first[1]?.id ?? 0, limit: 2 })
      assert.deepEqual(
        rest.map(({ prices }) => prices.input_per_mtok),
        ['1'],
      )
    })
  })
}
