import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ENGINES, testStores } from '../../../test/test-store.ts'
import { hashKey } from '../../domain/key.ts'
import { costOf, NO_PRICES, type PriceList } from '../../domain/pricing/price.ts'
import { NO_USAGE } from '../../domain/pricing/usage.ts'
import type { Provider } from '../../domain/provider.ts'
import { openSecrets } from '../engine/secrets.ts'
import { createKey, ensureKey, hasKeys, listKeys, revokeKey } from './keys.ts'
import { deleteProvider, ensureEnvironmentProviders, putProvider } from './providers.ts'
import { addPriceVersion, canonicalPrices, priceHistory, putModel } from './registry.ts'
import { deleteRoute, putRoute } from './routes.ts'
import { type BuiltinRegistry, readBuiltinRegistry, seedRegistry } from './seed-registry.ts'
import { loadSnapshot } from './snapshot.ts'
import { ensureWorkspace, listWorkspaces } from './workspaces.ts'

const ALL = { kind: 'live', workspace: 'default', after: null, limit: 100 } as const

const stores = await testStores()

function priceList(input: string | null, output: string | null, tiers: PriceList['tiers'] = []): PriceList {
  return {
    ...NO_PRICES,
    input_per_mtok: input,
    output_per_mtok: output,
    tiers,
  }
}

const FACTS = {
  provider: 'local',
  model: 'llama',
  aliases: ['llama-latest'],
  contextWindow: 8192,
  maxOutputTokens: null,
  maxInputTokens: null,
  capabilities: ['tools'],
  efforts: null,
  deprecated: false,
  shutdownDate: null,
  mode: 'chat',
  note: null,
}

const LOCAL: Provider = {
  name: 'local',
  family: 'some',
  baseUrl: 'http://127.0.0.1:1/v1',
  apiKey: 'sk-very-secret',
  headers: { 'x-team': 'blue' },
  onCallerLeft: 'abort',
}

for (const engine of ENGINES) {
  describe(`keys on ${engine}`, () => {
    test('a created key is found by its hash; its value is stored nowhere', async () => {
      const { db, secrets } = await stores.openNew(engine)
      await ensureWorkspace(db, 'default', 1)
      await ensureWorkspace(db, 'default', 2)
      assert.deepEqual(await listWorkspaces(db), [{ name: 'default', createdAt: 1 }])
      const input = { kind: 'live', workspace: 'default', name: 'ci', expiresAt: 9, limits: { rpm: 5 } } as const
      const { key, value } = await createKey(db, input, 5)
      assert.match(value, /^gw_live_[0-9A-Za-z]{32}$/)
      const snapshot = await loadSnapshot(db, secrets)
      assert.deepEqual(snapshot.valuesByHash.get(hashKey(value)), { id: key.id, endsAt: null, key })
      assert.deepEqual([key.prefix, key.expiresAt, key.createdAt], [value.slice(0, 12), 9, 5])
      assert.ok(!JSON.stringify(await db.selectFrom('keys').selectAll().execute()).includes(value))
    })

    test('a key can be revoked once, now or later', async () => {
      const { db } = await stores.openNew(engine)
      await ensureWorkspace(db, 'default', 1)
      const { key } = await createKey(db, { kind: 'live', workspace: 'default', name: 'ci' }, 5)
      assert.equal(await revokeKey(db, key.id, 100), true)
      assert.equal(await revokeKey(db, key.id, 50), true)
      assert.equal(await revokeKey(db, key.id, 60), false)
      assert.deepEqual(
        (await listKeys(db, ALL)).map((found) => found.revoked_at),
        [50],
      )
    })

    test('a key with an exact value is made once, stays revoked, and belongs to one place', async () => {
      const { db } = await stores.openNew(engine)
      await ensureWorkspace(db, 'default', 1)
      const wanted = { kind: 'live', workspace: 'default', name: 'env', value: 'a value of the operator' } as const
      assert.equal(await hasKeys(db, 'live', 10), false)
      assert.equal(await ensureKey(db, wanted, 2), 'created')
      assert.equal(await ensureKey(db, wanted, 3), 'present')
      assert.equal(await hasKeys(db, 'live', 10), true)
      assert.equal(await hasKeys(db, 'admin', 10), false)
      assert.equal(await ensureKey(db, { ...wanted, kind: 'admin', workspace: null }, 3), 'taken')
      const [key] = await listKeys(db, ALL)
      await revokeKey(db, key?.id ?? '', 4)
      assert.equal(await ensureKey(db, wanted, 5), 'revoked')
      assert.equal(await hasKeys(db, 'live', 10), false)
    })

    test('starts at the same time make an exact key once', async () => {
      const { db } = await stores.openNew(engine)
      await ensureWorkspace(db, 'default', 1)
      const wanted = { kind: 'live', workspace: 'default', name: 'env', value: 'a value of the operator' } as const
      const outcomes = await Promise.all([1, 2, 3, 4].map((now) => ensureKey(db, wanted, now)))
      assert.deepEqual(outcomes.sort(), ['created', 'present', 'present', 'present'])
    })
  })

  describe(`routes and providers on ${engine}`, () => {
    test('a route comes back with its defaults filled in; the same again changes nothing', async () => {
      const { db, secrets } = await stores.openNew(engine)
      await ensureWorkspace(db, 'default', 1)
      const definition = {
        description: 'quick',
        chain: [{ provider: 'a', model: 'm', retries: 0, idle_timeout_ms: 9 }],
      }
      const input = { workspace: 'default', alias: 'fast', definition, managedBy: null }
      assert.equal(await putRoute(db, input, 5), true)
      assert.equal(await putRoute(db, input, 6), false)
      const routes = (await loadSnapshot(db, secrets)).workspaces.get('default')?.routes
      assert.deepEqual(routes?.get('fast'), {
        alias: 'fast',
        description: 'quick',
        chain: [
          {
            ...{ provider: 'a', model: 'm', timeoutMs: 600_000, idleTimeoutMs: 9, retries: 0 },
            ...{ maxOutputTokens: null, hedgeAfterMs: null },
          },
        ],
        places: null,
        isInterchangeable: false,
        createdAt: 5,
      })
      assert.equal(await putRoute(db, { ...input, definition: { chain: definition.chain } }, 7), true)
      assert.equal((await db.selectFrom('routes').selectAll().execute())[0]?.updated_at, 7)
      assert.equal(await deleteRoute(db, 'default', 'fast'), true)
      assert.equal(await deleteRoute(db, 'default', 'fast'), false)
    })

    test('a provider comes back with its secrets, which the database holds encrypted', async () => {
      const { db, secrets } = await stores.openNew(engine)
      assert.equal(await putProvider(db, secrets, LOCAL, null, 5), true)
      assert.equal(await putProvider(db, secrets, LOCAL, null, 6), false)
      const rows = await db.selectFrom('providers').selectAll().execute()
      assert.doesNotMatch(JSON.stringify(rows), /very-secret|blue/)
      assert.deepEqual((await loadSnapshot(db, secrets)).providers.get('local'), LOCAL)

      const changed: Provider = { ...LOCAL, apiKey: null, headers: {}, onCallerLeft: 'drain', onEstimate: 'hold' }
      assert.equal(await putProvider(db, secrets, changed, null, 7), true)
      assert.deepEqual((await loadSnapshot(db, secrets)).providers.get('local'), changed)
      assert.equal(await deleteProvider(db, 'local'), true)
    })

    test('a secret that no key opens is an error that names the provider; setting it anew helps', async () => {
      const options = await stores.newOptions(engine)
      const { db, secrets } = await stores.open(options)
      await putProvider(db, secrets, LOCAL, 'environment', 5)
      const others = openSecrets(`${options.dataDir}/..`, ['another key, long enough'])
      await assert.rejects(loadSnapshot(db, others), /API key of the provider "local"|headers of the provider "local"/)
      await ensureEnvironmentProviders(db, others, [LOCAL], 6)
      assert.equal((await loadSnapshot(db, others)).providers.get('local')?.apiKey, LOCAL.apiKey)
    })

    test('the environment changes only what is its own', async () => {
      const { db, secrets } = await stores.openNew(engine)
      await putProvider(db, secrets, LOCAL, 'config', 5)
      const environment = [
        { ...LOCAL, apiKey: 'sk-environment' },
        { ...LOCAL, name: 'builtin', apiKey: 'sk-1' },
      ]
      await ensureEnvironmentProviders(db, secrets, environment, 6)
      await ensureEnvironmentProviders(db, secrets, [{ ...LOCAL, name: 'builtin', apiKey: null }], 7)
      const { providers } = await loadSnapshot(db, secrets)
      assert.deepEqual([...providers.values()].map(({ name, apiKey }) => [name, apiKey]).sort(), [
        ['builtin', null],
        ['local', 'sk-very-secret'],
      ])
    })
  })

  describe(`registry on ${engine}`, () => {
    test('a changed price is a new version, the same price in other words is not', async () => {
      const { db, secrets } = await stores.openNew(engine)
      await putModel(db, FACTS, null, 1)
      const add = (prices: PriceList, now: number) =>
        addPriceVersion(db, { provider: 'local', model: 'llama', prices, source: 'api' }, now)
      const first = await add(priceList('0.10', '2'), 1)
      assert.equal(await add(priceList('0.1', '2.000000'), 2), first)
      const second = await add(priceList('0.100001', '2'), 3)
      assert.ok(second > first)
      const history = await priceHistory(db, 'local', 'llama', 10)
      assert.deepEqual(
        history.map((version) => version.id),
        [second, first],
      )

      const model = (await loadSnapshot(db, secrets)).registry.get('local')?.get('llama')
      assert.deepEqual([model?.priceVersion, model?.prices?.input_per_mtok], [second, '0.100001'])
      assert.equal(model === undefined ? null : costOf({ ...NO_USAGE, input: 3 }, model.price), 300003n)
    })

    test('models are found by id and by listed alias only; an id wins over an alias', async () => {
      const { db, secrets } = await stores.openNew(engine)
      await putModel(db, { ...FACTS, aliases: ['llama-latest', 'llama-2'] }, null, 1)
      await putModel(db, { ...FACTS, model: 'llama-2', aliases: [] }, null, 1)
      assert.equal(await putModel(db, { ...FACTS, model: 'llama-2', aliases: [] }, null, 2), false)
      const models = (await loadSnapshot(db, secrets)).registry.get('local')
      assert.deepEqual(
        ['llama', 'llama-latest', 'llama-2', 'llama-2-2026-01-01'].map((id) => models?.get(id)?.model),
        ['llama', 'llama', 'llama-2', undefined],
      )
      const model = models?.get('llama')
      assert.deepEqual([model?.price.base, model?.priceVersion, model?.prices], [null, null, null])
      assert.deepEqual([model?.traits.contextWindow, model?.capabilities], [8192, ['tools']])
    })

    test('seeding twice changes nothing, and every price of the list is exact', async () => {
      const { db, secrets } = await stores.openNew(engine)
      await seedRegistry(db, 1)
      const read = async () => [
        await db.selectFrom('registry').selectAll().orderBy('provider').orderBy('model').execute(),
        await db.selectFrom('price_versions').selectAll().orderBy('id').execute(),
      ]
      const before = await read()
      await seedRegistry(db, 2)
      assert.deepEqual(await read(), before)

      const { asOf, models } = readBuiltinRegistry()
      const { registry } = await loadSnapshot(db, secrets)
      for (const { facts, prices } of models.filter(({ ofVendor }) => ofVendor === undefined)) {
        const model = registry.get(facts.provider)?.get(facts.model)
        assert.deepEqual(model?.prices ?? priceList(null, null), canonicalPrices(prices), facts.model)
      }
      assert.ok(before[1]?.every((version) => 'source' in version && version.source === `builtin:${asOf}`))
    })

    test('the models of a vendor are listed once there is a provider of it, under any name', async () => {
      const { db, secrets } = await stores.openNew(engine)
      await seedRegistry(db, 1)
      const before = await loadSnapshot(db, secrets)
      assert.equal(before.registry.has('gemini'), false)
      await putProvider(db, secrets, { ...LOCAL, name: 'google-eu', family: 'gemini', baseUrl: null }, null, 2)
      await putProvider(db, secrets, { ...LOCAL, name: 'quick', family: 'openai', preset: 'groq' }, null, 2)
      await putProvider(db, secrets, { ...LOCAL, name: 'own', family: 'gemini', baseUrl: 'http://own/v1' }, null, 2)
      await seedRegistry(db, 3)
      const { registry } = await loadSnapshot(db, secrets)
      const flash = registry.get('google-eu')?.get('gemini-2.5-flash')
      assert.deepEqual([flash?.provider, flash?.prices?.audio_input_per_mtok], ['gemini', '1'])
      assert.equal(registry.get('quick')?.get('llama-3.1-8b-instant')?.prices?.input_per_mtok, '0.05')
      assert.equal(registry.has('own'), false, 'another server has prices of its own')
      assert.equal(registry.has('bedrock'), false)
      const own = { provider: 'google-eu', model: 'gemini-2.5-flash', prices: priceList('7', '7'), source: 'api' }
      await putModel(db, { ...FACTS, provider: 'google-eu', model: 'gemini-2.5-flash' }, null, 4)
      await addPriceVersion(db, own, 4)
      const after = (await loadSnapshot(db, secrets)).registry.get('google-eu')
      assert.equal(after?.get('gemini-2.5-flash')?.prices?.input_per_mtok, '7', 'a row of its own wins')
    })

    test('a newer list replaces its own prices, never those of the operator', async () => {
      const { db, secrets } = await stores.openNew(engine)
      const list = (asOf: string, price: string): BuiltinRegistry => ({
        asOf,
        models: ['ours', 'theirs'].map((model) => ({ facts: { ...FACTS, model }, prices: priceList(price, price) })),
      })
      await seedRegistry(db, 1, list('2026-01-01', '1'))
      await addPriceVersion(db, { provider: 'local', model: 'theirs', prices: priceList('7', '7'), source: 'api' }, 2)
      await seedRegistry(db, 3, list('2026-02-02', '2'))
      const models = (await loadSnapshot(db, secrets)).registry.get('local')
      assert.equal(models?.get('ours')?.prices?.input_per_mtok, '2')
      assert.equal(models?.get('theirs')?.prices?.input_per_mtok, '7')
      assert.deepEqual(
        (await priceHistory(db, 'local', 'ours', 9)).map((version) => version.source),
        ['builtin:2026-02-02', 'builtin:2026-01-01'],
      )
    })
  })
}
