import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ENGINES, testStores } from '../../../test/test-store.ts'
import { createKey, findKey, type KeyInput, listKeys, revokeKey, updateKey, usableKeyIds } from './keys.ts'
import { ensureWorkspace } from './workspaces.ts'

const stores = await testStores()
const LIVE = { kind: 'live', workspace: 'default' } as const
const ADMIN = { kind: 'admin', workspace: null } as const

async function newStore(engine: (typeof ENGINES)[number]) {
  const { db } = await stores.openNew(engine)
  for (const workspace of ['default', 'other']) await ensureWorkspace(db, workspace, 1)
  const make = async (input: KeyInput, now = 1) => (await createKey(db, input, now)).key.id
  return { db, make }
}

for (const engine of ENGINES) {
  describe(engine, () => {
    test('pages of keys are newest first and of one kind and workspace', async () => {
      const { db, make } = await newStore(engine)
      const ids: string[] = []
      for (let now = 1; now <= 5; now++) ids.unshift(await make({ ...LIVE, name: `k${now}` }, now * 1_000))
      await make({ ...LIVE, workspace: 'other', name: 'theirs' })
      const admin = await make({ ...ADMIN, name: 'boss' })
      const first = await listKeys(db, { ...LIVE, after: null, limit: 2 })
      const rest = await listKeys(db, { ...LIVE, after: first.at(-1)?.id ?? null, limit: 10 })
      assert.deepEqual(
        [...first, ...rest].map((row) => row.id),
        ids,
      )
      assert.deepEqual(
        (await listKeys(db, { ...ADMIN, after: null, limit: 10 })).map((row) => row.id),
        [admin],
      )
      assert.equal(await findKey(db, 'live', admin), null)
      assert.equal((await findKey(db, 'admin', admin))?.name, 'boss')
    })

    test('a search finds a part of a name, an id or a prefix, and takes no letter for a wildcard', async () => {
      const { db, make } = await newStore(engine)
      const [nightly, dotted] = [
        await make({ ...LIVE, name: 'Nightly_build' }, 1_000),
        await make({ ...LIVE, name: 'nightlyXbuild.eu' }, 2_000),
      ]
      await make({ ...LIVE, workspace: 'other', name: 'nightly' }, 3_000)
      const found = async (search: string, after: string | null = null) =>
        (await listKeys(db, { ...LIVE, search, after, limit: 10 })).map(({ id }) => id)
      assert.deepEqual(await found('NIGHTLY'), [dotted, nightly])
      assert.deepEqual(await found('nightly', dotted), [nightly])
      assert.deepEqual(await found('y_b'), [nightly])
      assert.deepEqual(await found('%'), [])
      assert.deepEqual(await found('\\'), [])
      assert.deepEqual(await found(nightly.slice(4)), [nightly])
      const prefix = (await findKey(db, 'live', dotted))?.prefix ?? ''
      assert.deepEqual(await found(prefix), [dotted])
    })

    test('a key is usable until it is revoked or expires', async () => {
      const { db, make } = await newStore(engine)
      const [plain, ended, ending, expired, expiring] = [
        await make({ ...LIVE, name: 'plain' }),
        await make({ ...LIVE, name: 'ended' }),
        await make({ ...LIVE, name: 'ending' }),
        await make({ ...LIVE, name: 'expired', expiresAt: 100 }),
        await make({ ...LIVE, name: 'expiring', expiresAt: 101 }),
      ]
      await make({ ...LIVE, workspace: 'other', name: 'plain' })
      await revokeKey(db, ended, 100)
      await revokeKey(db, ending, 101)
      assert.deepEqual((await usableKeyIds(db, LIVE, 100)).sort(), [plain, ending, expiring].sort())
      assert.deepEqual(await usableKeyIds(db, { ...LIVE, name: 'plain' }, 100), [plain])
      assert.deepEqual(await usableKeyIds(db, { ...LIVE, name: 'expired' }, 100), [])
      assert.ok(!(await usableKeyIds(db, LIVE, 100)).includes(expired))
    })

    test('a change touches what it names and null takes away', async () => {
      const { db, make } = await newStore(engine)
      const settings = { expiresAt: 9, allowedModels: ['a', 'b*'], limits: { rpm: 1 } }
      const id = await make({ ...LIVE, name: 'k', ...settings })
      const other = await make({ ...LIVE, name: 'other', ...settings })
      const before = await findKey(db, 'live', id)
      await updateKey(db, id, {})
      assert.deepEqual(await findKey(db, 'live', id), before)
      await updateKey(db, id, { name: 'renamed', allowedModels: ['c'] })
      assert.deepEqual(await findKey(db, 'live', id), { ...before, name: 'renamed', allowed_models: '["c"]' })
      await updateKey(db, id, { expiresAt: null, allowedModels: null, limits: null })
      const cleared = { name: 'renamed', expires_at: null, allowed_models: null, limits: null }
      assert.deepEqual(await findKey(db, 'live', id), { ...before, ...cleared })
      assert.equal((await findKey(db, 'live', other))?.limits, '{"rpm":1}')
    })
  })
}
