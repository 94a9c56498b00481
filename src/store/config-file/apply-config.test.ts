import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { kindsOf } from '../../../test/provider-kinds.ts'
import { ENGINES, testStores } from '../../../test/test-store.ts'
import type { Store } from '../../app/open-store.ts'
import { contentProblem } from '../../content/settings-problem.ts'
import { type FileConfig, FileConfigSchema } from '../../domain/file-config.ts'
import { hashKey } from '../../domain/key.ts'
import type { Provider } from '../../domain/provider.ts'
import { createKey, ensureKey, revokeKey } from '../control/keys.ts'
import { putProvider } from '../control/providers.ts'
import { addPriceVersion, priceHistory } from '../control/registry.ts'
import { putRoute } from '../control/routes.ts'
import { readBuiltinRegistry, seedRegistry } from '../control/seed-registry.ts'
import { loadSnapshot } from '../control/snapshot.ts'
import { ensureWorkspace, updateWorkspace } from '../control/workspaces.ts'
import { applyConfig } from './apply-config.ts'

const stores = await testStores()

const BUILTIN: Provider = {
  name: 'builtin',
  family: 'some',
  baseUrl: 'http://b/v1',
  apiKey: 'sk-environment',
  headers: {},
  onCallerLeft: 'abort',
}
const KINDS = kindsOf([BUILTIN])
const ACTOR = { id: 'config', name: 'a file' }
const LOCAL = { family: 'some', base_url: 'http://127.0.0.1:1/v1' }
const TO_LOCAL = { chain: [{ provider: 'local', model: 'llama' }] }

const config = (file: unknown): FileConfig => FileConfigSchema.parse(file)
const apply = (store: Store, file: unknown, now: number, prune = true) =>
  applyConfig(store.db, {
    secrets: store.secrets,
    config: config(file),
    environment: [BUILTIN],
    kinds: KINDS,
    contentProblem,
    actor: ACTOR,
    prune,
    now,
  })
const snapshotOf = (store: Store) => loadSnapshot(store.db, store.secrets)

async function everything({ db }: Store) {
  return {
    workspaces: await db.selectFrom('workspaces').selectAll().orderBy('name').execute(),
    keys: await db.selectFrom('keys').selectAll().orderBy('id').execute(),
    routes: await db.selectFrom('routes').selectAll().orderBy('alias').execute(),
    providers: await db.selectFrom('providers').selectAll().orderBy('name').execute(),
    registry: await db.selectFrom('registry').selectAll().orderBy('provider').orderBy('model').execute(),
    prices: await db.selectFrom('price_versions').selectAll().orderBy('id').execute(),
  }
}

const FULL = {
  providers: { local: { ...LOCAL, api_key: 'sk-local', headers: { 'x-b': '2', 'x-a': '1' } }, builtin: {} },
  workspaces: {
    default: {
      routes: { fast: { description: 'quick', ...TO_LOCAL } },
      keys: {
        ci: { limits: { rpm: 600, budget: { usd: '50', per: 'month' } } },
        given: { value: 'value-from-a-variable', expires_at: '2030-01-01T00:00:00Z' },
      },
    },
    team: { routes: { fast: { chain: [{ provider: 'builtin', model: 'm' }] } } },
  },
  registry: [{ provider: 'local', model: 'llama', input_per_mtok: '0', output_per_mtok: '0.10', context_window: 8192 }],
}

for (const engine of ENGINES) {
  describe(`configuration on ${engine}`, () => {
    test('a file is made so, and applying it again changes nothing', async () => {
      const store = await stores.openNew(engine)
      const { created } = await apply(store, FULL, 5)
      assert.deepEqual(
        created.map(({ workspace, name }) => [workspace, name]),
        [['default', 'ci']],
      )
      const before = await everything(store)
      assert.deepEqual((await apply(store, FULL, 6)).created, [])
      assert.deepEqual(await everything(store), before)

      const snapshot = await snapshotOf(store)
      assert.equal(snapshot.workspaces.get('team')?.routes.get('fast')?.chain[0]?.provider, 'builtin')
      assert.equal(snapshot.valuesByHash.get(hashKey(created[0]?.value ?? ''))?.key.name, 'ci')
      assert.equal(
        snapshot.valuesByHash.get(hashKey('value-from-a-variable'))?.key.expiresAt,
        Date.parse('2030-01-01T00:00:00Z'),
      )
      assert.deepEqual(snapshot.providers.get('local')?.headers, { 'x-a': '1', 'x-b': '2' })
      assert.equal(snapshot.registry.get('local')?.get('llama')?.prices?.output_per_mtok, '0.1')
    })

    test("a provider of the environment keeps what the file leaves out, and is the environment's again afterwards", async () => {
      const store = await stores.openNew(engine)
      await apply(store, { providers: { builtin: { api_key: 'sk-file' } } }, 5)
      const owned = (await snapshotOf(store)).providers.get('builtin')
      assert.deepEqual([owned?.apiKey, owned?.baseUrl, owned?.family], ['sk-file', 'http://b/v1', 'some'])
      await apply(store, {}, 6)
      assert.deepEqual((await snapshotOf(store)).providers.get('builtin'), BUILTIN)
    })

    test('limits of a workspace are the file’s while it names them; what the API has set it leaves alone', async () => {
      const store = await stores.openNew(engine)
      const limitsOf = async (name: string) => (await snapshotOf(store)).workspaces.get(name)?.limits
      const set = { rpm: 7 }
      await ensureWorkspace(store.db, 'default', 1)
      await updateWorkspace(store.db, 'default', { limits: set })
      await apply(store, { workspaces: { default: {}, team: { limits: { tpm: 9 } } } }, 2)
      assert.deepEqual([await limitsOf('default'), await limitsOf('team')], [set, { tpm: 9 }])
      await apply(store, { workspaces: { default: { limits: { budget: { usd: '5', per: 'day' } } }, team: {} } }, 3)
      const budget = { usd: '5', per: 'day', mode: 'hard' }
      assert.deepEqual([await limitsOf('default'), await limitsOf('team')], [{ budget }, null])
      await apply(store, {}, 4)
      assert.equal(await limitsOf('default'), null)
    })

    test('streaming of a workspace is the file’s while it names it; what the API has set it leaves alone', async () => {
      const store = await stores.openNew(engine)
      const streaming = async () => {
        const { workspaces } = await snapshotOf(store)
        return ['default', 'team'].map((name) => workspaces.get(name)?.streaming)
      }
      await ensureWorkspace(store.db, 'default', 1)
      await updateWorkspace(store.db, 'default', { streaming: true })
      await apply(store, { workspaces: { default: {}, team: { streaming: true } } }, 2)
      assert.deepEqual(await streaming(), [true, true])
      await apply(store, { workspaces: { default: { streaming: false }, team: {} } }, 3)
      assert.deepEqual(await streaming(), [false, null])
      await apply(store, {}, 4)
      assert.deepEqual(await streaming(), [null, null])
    })

    test('what the file no longer names goes; what it never owned stays', async () => {
      const store = await stores.openNew(engine)
      const { db, secrets } = store
      await ensureWorkspace(db, 'default', 1)
      await putProvider(db, secrets, { ...BUILTIN, name: 'mine' }, null, 1)
      const mine = { chain: [{ provider: 'mine', model: 'm' }] }
      await putRoute(db, { workspace: 'default', alias: 'mine', definition: mine, managedBy: null }, 1)
      await createKey(db, { kind: 'live', workspace: 'default', name: 'mine' }, 1)
      await apply(store, FULL, 5)
      await apply(store, {}, 6)

      const snapshot = await snapshotOf(store)
      assert.deepEqual([...snapshot.providers.keys()].sort(), ['builtin', 'mine'])
      assert.deepEqual([...(snapshot.workspaces.get('default')?.routes.keys() ?? [])], ['mine'])
      const keys = [...snapshot.keys.values()].map(({ name, revokedAt }) => [name, revokedAt])
      assert.deepEqual(keys.sort(), [
        ['ci', 6],
        ['given', 6],
        ['mine', null],
      ])
      assert.equal(snapshot.registry.get('local'), undefined)
    })

    test('without pruning, what the file no longer names is left alone and listed', async () => {
      const store = await stores.openNew(engine)
      const full = {
        ...FULL,
        workspaces: { ...FULL.workspaces, team: { ...FULL.workspaces.team, limits: { rpm: 1 } } },
      }
      await apply(store, full, 5)
      const before = await everything(store)
      const { changes, unchanged, notInFile } = await apply(store, {}, 6, false)
      assert.deepEqual([changes, unchanged, await everything(store)], [[], 0, before])
      assert.deepEqual(notInFile.map(({ workspace, resource }) => `${workspace} ${resource}`).sort(), [
        'default keys/ci',
        'default keys/given',
        'default routes/fast',
        'null providers/builtin',
        'null providers/local',
        'null registry/local/llama',
        'team routes/fast',
        'team workspaces/team',
      ])
      const pruned = await apply(store, {}, 7)
      assert.equal(pruned.changes.length, notInFile.length)
      assert.deepEqual(pruned.notInFile, [])
    })

    test('a name that exists is taken over', async () => {
      const store = await stores.openNew(engine)
      const { db, secrets } = store
      await ensureWorkspace(db, 'default', 1)
      await putProvider(db, secrets, { ...BUILTIN, name: 'local' }, null, 1)
      const old = { chain: [{ provider: 'local', model: 'old' }] }
      await putRoute(db, { workspace: 'default', alias: 'fast', definition: old, managedBy: null }, 1)
      const { value } = await createKey(db, { kind: 'live', workspace: 'default', name: 'ci' }, 1)
      const file = {
        providers: { local: LOCAL },
        workspaces: { default: { routes: { fast: TO_LOCAL }, keys: { ci: {} } } },
      }
      assert.deepEqual((await apply(store, file, 5)).created, [])
      const { routes, keys, providers } = await everything(store)
      assert.deepEqual([routes[0]?.managed_by, routes[0]?.created_at, routes[0]?.updated_at], ['config', 1, 5])
      assert.deepEqual([keys.length, keys[0]?.managed_by], [1, 'config'])
      assert.equal((await snapshotOf(store)).valuesByHash.get(hashKey(value))?.key.id, keys[0]?.id)
      assert.deepEqual(providers.find(({ name }) => name === 'local')?.managed_by, 'config')
      assert.equal((await snapshotOf(store)).providers.get('local')?.apiKey, null)
    })

    test('an unknown provider in a chain is named, and nothing has changed', async () => {
      const store = await stores.openNew(engine)
      await apply(store, FULL, 5)
      const before = await everything(store)
      const chain = [...TO_LOCAL.chain, { provider: 'nobody', model: 'm' }]
      const bad = {
        ...FULL,
        providers: { ...FULL.providers, more: LOCAL },
        workspaces: { default: { routes: { x: { chain } } } },
      }
      await assert.rejects(
        apply(store, bad, 6),
        /^StoreError: workspaces\.default\.routes\.x\.chain\[1\]: there is no provider "nobody"$/,
      )
      const { local: _, ...rest } = FULL.providers
      await assert.rejects(apply(store, { ...FULL, providers: rest }, 6), /routes\.fast\.chain\[0\].*"local"/)
      assert.deepEqual(await everything(store), before)
    })

    test('a budget steps down to routes of its workspace only', async () => {
      const store = await stores.openNew(engine)
      const budget = { usd: '5', per: 'day', when_tight: 'step_down', step_down_to: 'fast' }
      const keys = { ci: { limits: { budget } } }
      await assert.rejects(
        apply(store, { workspaces: { default: { limits: { budget } } } }, 5),
        /^StoreError: workspaces\.default\.limits\.budget\.step_down_to: there is no route 'fast'/,
      )
      await assert.rejects(
        apply(store, { workspaces: { default: { keys } } }, 5),
        /^StoreError: workspaces\.default\.keys\.ci\.limits\.budget\.step_down_to: there is no route 'fast'/,
      )
      await apply(
        store,
        { ...FULL, workspaces: { default: { routes: { fast: TO_LOCAL }, limits: { budget }, keys } } },
        6,
      )
    })

    test('a provider without a family, a model listed twice: one line, nothing changed', async () => {
      const store = await stores.openNew(engine)
      await assert.rejects(apply(store, { providers: { x: {} } }, 5), /^StoreError: providers\.x\.family: /)
      const entry = { provider: 'local', model: 'llama' }
      await assert.rejects(apply(store, { registry: [entry, entry] }, 5), /registry\[1\]: local\/llama is listed twice/)
      assert.deepEqual((await everything(store)).registry, [])
    })

    const withKeys = (keys: object) => ({ workspaces: { default: { keys } } })
    const [one, two] = ['the-first-value-long', 'the-second-value-long']

    test('keys: a new value replaces the old one of the same key; one that is brought back works again', async () => {
      const store = await stores.openNew(engine)
      const ends = async () =>
        new Map((await store.db.selectFrom('key_values').selectAll().execute()).map((row) => [row.hash, row.ends_at]))
      await apply(store, withKeys({ ci: { value: one } }), 5)
      const [key] = (await everything(store)).keys
      const { changes } = await apply(store, withKeys({ ci: { value: two } }), 6)
      assert.deepEqual(
        changes.map(({ kind, resource, fields }) => [kind, resource, fields]),
        [['update', 'keys/ci', [{ field: 'value', before: '(secret)', after: '(changed)' }]]],
      )
      assert.deepEqual(
        await ends(),
        new Map([
          [hashKey(one), 6],
          [hashKey(two), null],
        ]),
      )
      await apply(store, withKeys({ ci: { value: one } }), 7)
      assert.deepEqual(
        await ends(),
        new Map([
          [hashKey(one), null],
          [hashKey(two), 7],
        ]),
      )
      assert.deepEqual((await everything(store)).keys, [key])
      const { created } = await apply(store, withKeys({ ci: { value: one }, made: {} }), 8)
      await apply(store, {}, 9)
      const again = await apply(store, withKeys({ made: {} }), 10)
      assert.deepEqual([created.length, again.created.length], [1, 1])
      assert.notEqual(created[0]?.value, again.created[0]?.value)
    })

    test('keys: who holds a value is known by it, also when names and values change places', async () => {
      const store = await stores.openNew(engine)
      const ids = async () =>
        new Map(
          (await everything(store)).keys.filter((row) => row.revoked_at === null).map((row) => [row.name, row.id]),
        )
      await apply(store, withKeys({ a: { value: one } }), 5)
      const before = (await ids()).get('a')
      await apply(store, withKeys({ a: { value: two }, b: { value: one } }), 6)
      assert.equal((await ids()).get('b'), before)
      assert.notEqual((await ids()).get('a'), before)
      const twice = withKeys({ c: { value: 'a-value-that-is-new' }, d: { value: 'a-value-that-is-new' } })
      await assert.rejects(apply(store, twice, 7), /keys\.d: its value already belongs to another key/)
    })

    test('keys: are paused and resumed by the file', async () => {
      const store = await stores.openNew(engine)
      const pausedAt = async () => (await everything(store)).keys[0]?.paused_at
      await apply(store, withKeys({ ci: { value: one, paused: true } }), 5)
      await apply(store, withKeys({ ci: { value: one, paused: true, limits: { rpm: 1 } } }), 6)
      assert.equal(await pausedAt(), 5)
      const { changes } = await apply(store, withKeys({ ci: { value: one, paused: false } }), 7)
      assert.deepEqual([await pausedAt(), changes[0]?.fields.map(({ field }) => field)], [null, ['paused', 'limits']])
    })

    test('keys: a value revoked elsewhere stays revoked; one of another place is refused', async () => {
      const store = await stores.openNew(engine)
      const { db } = store
      await ensureWorkspace(db, 'default', 1)
      const value = 'value-of-the-operator'
      await ensureKey(db, { kind: 'live', workspace: 'default', name: 'env', value }, 1)
      const [key] = (await everything(store)).keys
      await revokeKey(db, key?.id ?? '', 2)
      for (const now of [3, 4]) await apply(store, { workspaces: { default: { keys: { ci: { value } } } } }, now)
      assert.equal((await everything(store)).keys[0]?.revoked_at, 2)
      await assert.rejects(
        apply(store, { workspaces: { team: { keys: { ci: { value } } } } }, 4),
        /workspaces\.team\.keys\.ci: its value already belongs to another key/,
      )
      const twice = { workspaces: { default: { keys: { a: { value }, b: { value } } } } }
      await assert.rejects(apply(store, twice, 4), /keys\.b: its value already belongs to another key/)
    })

    test('prices: a version only when they differ; a model of ours goes back to ours', async () => {
      const store = await stores.openNew(engine)
      const { db } = store
      await seedRegistry(db, 1)
      const ours = readBuiltinRegistry().models.find(({ prices }) => prices.input_per_mtok !== null)
      assert.ok(ours)
      const { provider, model, contextWindow } = ours.facts
      const file = (input: string) => ({ registry: [{ provider, model, input_per_mtok: input, output_per_mtok: '9' }] })
      for (const [now, input] of [
        [5, '7'],
        [6, '7.0'],
        [7, '8'],
      ] as const)
        await apply(store, file(input), now)
      const sources = async () => (await priceHistory(db, provider, model, 9)).map(({ source }) => source.split(':')[0])
      assert.deepEqual(await sources(), ['config', 'config', 'builtin'])
      assert.equal((await snapshotOf(store)).registry.get(provider)?.get(model)?.traits.contextWindow, contextWindow)

      await apply(store, {}, 8)
      assert.deepEqual(await sources(), ['builtin', 'config', 'config', 'builtin'])
      const prices = (await snapshotOf(store)).registry.get(provider)?.get(model)?.prices
      assert.equal(prices?.input_per_mtok, ours.prices.input_per_mtok)

      await addPriceVersion(db, { provider, model, prices: { ...ours.prices, input_per_mtok: '3' }, source: 'api' }, 9)
      await apply(store, { registry: [{ provider, model, context_window: 5 }] }, 10)
      assert.deepEqual((await sources())[0], 'api')
    })
  })
}
