import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { atLength } from '../../../test/at-length.ts'
import { anyCall, logCalls } from '../../../test/calls/any-call.ts'
import { fc } from '../../../test/property.ts'
import { ENGINES, testStores } from '../../../test/test-store.ts'
import { PROMPT_CLASSES, perClass } from '../../domain/pricing/classes.ts'
import { compilePrice, costOf, NO_PRICES, type PriceList } from '../../domain/pricing/price.ts'
import type { UnitPrice } from '../../domain/pricing/unit-prices.ts'
import { NO_USAGE, type TokenUsage, withOutput } from '../../domain/pricing/usage.ts'
import { addPriceVersion } from '../../store/control/registry.ts'
import { priceVersionAt, type WhatIfPrice, whatIf } from './what-if.ts'
import { whatIfOfUses } from './what-if-uses.ts'

const stores = await testStores()

const price = fc.nat(99_999_999).map((millionths) => (millionths / 1e6).toFixed(6))
const prices = {
  ...perClass('price', () => fc.option(price)),
  input_per_mtok: fc.option(price, { freq: 10 }),
  output_per_mtok: price,
}
const tier = fc.record({ ...prices, prompt_tokens_above: fc.nat(300_000) })
const usd = { usd_per_1000: '0.5' }
const unitPrices = fc.subarray<UnitPrice>([
  { name: 'image', unit: 'image', ...usd },
  { name: 'audio_input', unit: 'audio_minute', step_ms: 1_000, ...usd },
  { name: 'character', unit: 'character', ...usd },
])
const priceList: fc.Arbitrary<PriceList> = fc.record({
  ...prices,
  tiers: fc.array(tier, { maxLength: 3 }),
  unit_prices: unitPrices,
})
const models = [
  { provider: 'first', model: 'model-1' },
  { provider: 'first', model: 'model-2' },
  { provider: 'second', model: 'model-1' },
] as const

/** Implausible counts have no cost per call; what-if does not look at single calls. */
function believable(usage: TokenUsage): TokenUsage {
  const prompt = Object.fromEntries(PROMPT_CLASSES.map(({ name }) => [name, usage[name] % 1e6]))
  return withOutput({ ...usage, ...prompt }, usage.output % 1e6)
}

let runs = 0

for (const engine of ENGINES) {
  describe(`what if, on ${engine}`, async () => {
    const { db, reads } = await stores.openNew(engine)

    test('property: the same as pricing each call by itself, to the picodollar', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(anyCall, { maxLength: 25 }),
          fc.array(priceList, { minLength: 4, maxLength: 4 }),
          fc.boolean(),
          async (anyCalls, lists, isOneModel) => {
            const calls = anyCalls.map((call) => ({
              ...call,
              usage: call.usage && { ...believable(call.usage), uses: call.uses },
            }))
            const workspace = `what-if-${engine}-${++runs}`
            await logCalls(db, workspace, calls)
            const compiled = lists.map(compilePrice)
            const own = models.map((of, index) => ({ of, price: compiled[index + 1]! }))
            const asked: WhatIfPrice[] = isOneModel ? [{ of: null, price: compiled[0]! }] : own
            const query = { workspace, from: 0, to: 300_000_000, keyId: null, route: null, prices: asked }
            const ofTokens = await whatIf(reads, { ...query, hasNoUses: true })
            const groups = [...ofTokens, ...(await whatIfOfUses(reads, query))]

            let [paid, other, unpriced] = [0n, 0n, 0]
            for (const call of calls) {
              if (call.usage === null) continue
              const mine = own.find(({ of }) => of?.provider === call.provider && of.model === call.model)
              const applied = isOneModel ? compiled[0] : mine?.price
              const cost = applied === undefined ? null : costOf(call.usage, applied)
              if (cost === null) unpriced++
              else other += cost
              paid += BigInt(call.costPicodollars ?? 0)
            }
            const sum = (values: (bigint | null)[]) =>
              values.reduce<bigint>((total, value) => total + (value ?? 0n), 0n)
            assert.equal(sum(groups.map((group) => group.whatIfPicodollars)), other)
            assert.equal(sum(groups.map((group) => group.paidPicodollars)), paid)
            const without = groups.filter((group) => group.whatIfPicodollars === null)
            assert.equal(
              without.reduce((total, group) => total + group.requests, 0),
              unpriced,
            )
          },
        ),
        { numRuns: atLength(40, 100) },
      )
    })

    test('key, route and range narrow it', async () => {
      const usage = { ...NO_USAGE, input: 1 }
      await logCalls(db, 'narrow', [
        { keyId: 'key-1', route: 'fast', startedAt: 1, usage },
        { keyId: 'key-2', route: null, startedAt: 2, usage },
        { keyId: 'key-2', route: 'fast', startedAt: 3, usage },
      ])
      const count = async (change: object) => {
        const query = { workspace: 'narrow', from: 0, to: 10, keyId: null, route: null, prices: [], ...change }
        return (await whatIf(reads, query)).reduce((sum, group) => sum + group.requests, 0)
      }
      assert.equal(await count({}), 3)
      assert.equal(await count({ keyId: 'key-2' }), 2)
      assert.equal(await count({ route: '' }), 1)
      assert.equal(await count({ from: 2, to: 3 }), 1)
    })

    test('the price at a time is the newest that was set by then', async () => {
      const list = (input: string): PriceList => ({
        ...NO_PRICES,
        input_per_mtok: input,
        output_per_mtok: '1',
        tiers: [],
      })
      const model = { provider: 'first', model: 'dated', source: 'test' }
      const first = await addPriceVersion(db, { ...model, prices: list('1') }, 1_000)
      const second = await addPriceVersion(db, { ...model, prices: list('2') }, 2_000)
      const at = async (time: number) => (await priceVersionAt(reads, 'first', 'dated', time))?.id
      assert.deepEqual(
        [await at(999), await at(1_000), await at(1_999), await at(2_000)],
        [undefined, first, first, second],
      )
    })
  })
}
