import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, describe, test } from 'node:test'
import { providerFromRow, putProvider } from '../../src/store/control/providers.ts'
import { rotateSecrets } from '../../src/store/control/rotate-secrets.ts'
import { ADMIN_KEY, type Harness, hello, type Json, newFolder, startHarness } from '../harness.ts'
import { ENGINES, testStores } from '../test-store.ts'

const OLD = 'old-secrets-key-000000'
const NEW = 'new-secrets-key-111111'
const PROVIDER = {
  name: 'mine',
  family: 'openai',
  baseUrl: 'http://127.0.0.1:9',
  apiKey: 'api-key-secret',
  headers: {},
  onCallerLeft: 'abort' as const,
}

/** Secrets beside the key and the headers. */
const BESIDE = { credentials: { id: 'credential-secret' }, proxy: 'http://me:proxy-secret@127.0.0.1:3128' }

const stores = await testStores()
const folder = newFolder()
after(() => rmSync(folder, { recursive: true, force: true }))

for (const engine of ENGINES) {
  describe(`rotated secrets on ${engine}`, () => {
    test('open with the new key alone, and with the old one no longer', async () => {
      const options = await stores.newOptions(engine)
      let store = await stores.open({ ...options, secretsKeys: [OLD] })
      await putProvider(
        store.db,
        store.secrets,
        { ...PROVIDER, ...BESIDE, headers: { 'x-a': 'header-secret' } },
        null,
        1,
      )
      await putProvider(store.db, store.secrets, { ...PROVIDER, name: 'bare', apiKey: null }, null, 1)
      await store.close()

      store = await stores.open({ ...options, secretsKeys: [NEW, OLD] })
      await putProvider(store.db, store.secrets, { ...PROVIDER, name: 'late' }, null, 2)
      assert.deepEqual(await rotateSecrets(store.db, store.secrets), { reEncrypted: 3, alreadyCurrent: 1 })
      assert.deepEqual(await rotateSecrets(store.db, store.secrets), { reEncrypted: 0, alreadyCurrent: 4 })
      await store.close()

      store = await stores.open({ ...options, secretsKeys: [NEW] })
      const rows = await store.db.selectFrom('providers').selectAll().orderBy('name').execute()
      const opened = rows.map((row) => providerFromRow(row, store.secrets))
      assert.deepEqual(
        opened.map(({ name, apiKey, headers }) => [name, apiKey, headers]),
        [
          ['bare', null, {}],
          ['late', 'api-key-secret', {}],
          ['mine', 'api-key-secret', { 'x-a': 'header-secret' }],
        ],
      )
      const { credentials, proxy } = opened[2] ?? {}
      assert.deepEqual({ credentials, proxy }, BESIDE)
      assert.doesNotMatch(JSON.stringify(rows), /-secret/)
      assert.deepEqual(
        rows.map((row) => row.updated_at),
        [1, 2, 1],
        'nothing that people see has changed',
      )
      await store.close()

      const late = await stores.open({ ...options, secretsKeys: [OLD] })
      assert.throws(() => providerFromRow(rows[1] as (typeof rows)[number], late.secrets), /encrypted with another key/)
    })

    test('all or none: one that no key opens changes nothing', async () => {
      const options = await stores.newOptions(engine)
      let store = await stores.open({ ...options, secretsKeys: [OLD] })
      await putProvider(store.db, store.secrets, PROVIDER, null, 1)
      await putProvider(store.db, store.secrets, { ...PROVIDER, name: 'zzz' }, null, 1)
      const damaged = 'v1.00000000.AAAA.AAAA'
      await store.db.updateTable('providers').set({ api_key_encrypted: damaged }).where('name', '=', 'zzz').execute()
      const before = await store.db.selectFrom('providers').selectAll().orderBy('name').execute()
      await store.close()
      store = await stores.open({ ...options, secretsKeys: [NEW, OLD] })
      await assert.rejects(rotateSecrets(store.db, store.secrets), /API key of the provider "zzz"/)
      assert.deepEqual(await store.db.selectFrom('providers').selectAll().orderBy('name').execute(), before)
    })
  })
}

describe('POST /secrets/rotate', () => {
  const headers = { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' }
  const start = (SECRETS_KEY: string) => startHarness({ folder, environment: { SECRETS_KEY } })
  const rotate = async (harness: Harness): Promise<Json> => {
    const answer = await fetch(`${harness.url}/secrets/rotate`, { method: 'POST', headers })
    assert.equal(answer.status, 200)
    return answer.json()
  }

  test('over restarts: old key, both, new key alone; what people see is untouched', async () => {
    const steps: [keys: string, counts: { re_encrypted: number; already_current: number }][] = [
      [OLD, { re_encrypted: 0, already_current: 3 }],
      // The environment's two providers have a new address at every start here, so it rewrites them.
      [`${NEW},${OLD}`, { re_encrypted: 1, already_current: 2 }],
      [NEW, { re_encrypted: 0, already_current: 3 }],
    ]
    const NO_CONTENT = { content_with_other_keys: 0, content_until: null }
    const seen: Json[] = []
    for (const [keys, counts] of steps) {
      const harness = await start(keys)
      try {
        const { openaiUrl } = harness.simulator
        const body = JSON.stringify({ family: 'openai', base_url: openaiUrl, api_key: 'kept-over-rotation' })
        if (keys === OLD) await fetch(`${harness.url}/providers/mine`, { method: 'PUT', headers, body })
        assert.deepEqual(await rotate(harness), { ...counts, ...NO_CONTENT })
        seen.push((await harness.get('/providers/mine', headers)).text)
        assert.equal((await harness.chat(hello('gpt-4o'))).status, 200)
        const { json } = await harness.get('/audit?resource=secrets', headers)
        assert.deepEqual(
          json.data.map((entry: Json) => entry.after),
          keys === OLD ? [] : [{ re_encrypted: 1, already_current: 2, ...NO_CONTENT }],
        )
      } finally {
        await harness.stop()
      }
    }
    assert.match(seen[0], /"has_api_key":true/)
    assert.equal(new Set(seen).size, 1)
  })
})
