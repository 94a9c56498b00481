import assert from 'node:assert/strict'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { filesUnder } from '../files-under.ts'
import { ADMIN_KEY, type Harness, hello, KEY, newFolder, startHarness } from '../harness.ts'

const FILE_KEY = 'a-key-of-the-operators-own-making'
const EXPIRED = 'gw_live_expired0000000000000000000000000'
const FUTURE = 'gw_live_future00000000000000000000000000'
const GONE = 'gw_live_gone0000000000000000000000000000'

const config = (more: string) => `
workspaces:
  team:
    routes:
      team-alias: { chain: [{ provider: openai, model: gpt-sim-echo }] }
    keys:
      from-variable: { value: "\${TEAM_KEY}" }
      expired: { value: ${EXPIRED}, expires_at: "2020-01-01T00:00:00Z" }
      future: { value: ${FUTURE}, expires_at: "2999-01-01T00:00:00+01:00" }
      ${more}
`

const folder = newFolder()
let harness: Harness

/** The key `gone` existed in the first run and is no longer in the file of the second: that revokes it. */
before(async () => {
  const environment = { TEAM_KEY: FILE_KEY }
  const first = await startHarness({ folder, environment, config: config(`gone: { value: ${GONE} }`) })
  assert.equal((await first.chat(hello('gpt-sim-echo'), { authorization: `Bearer ${GONE}` })).status, 200)
  await first.stop()
  harness = await startHarness({ folder, environment, config: config('') })
})
after(async () => {
  await harness.stop()
  rmSync(folder, { recursive: true, force: true })
})

const statusWith = async (authorization: string) =>
  (await harness.chat(hello('gpt-sim-echo'), { authorization })).status

describe('taken', () => {
  const taken: [what: string, header: string][] = [
    ['the live key of the environment', `Bearer ${KEY}`],
    ['a lower-case bearer', `bearer ${KEY}`],
    ['an upper-case bearer', `BEARER ${KEY}`],
    ['blanks around the key', `Bearer   ${KEY}  `],
    ['a key of the file with its value from a variable', `Bearer ${FILE_KEY}`],
    ['a key that expires later', `Bearer ${FUTURE}`],
  ]
  for (const [what, header] of taken) test(what, async () => assert.equal(await statusWith(header), 200))

  test('a key of the file, for the aliases of its own workspace', async () => {
    assert.equal((await harness.chat(hello('team-alias'), { authorization: `Bearer ${FILE_KEY}` })).status, 200)
    assert.equal((await harness.chat(hello('team-alias'))).status, 404)
  })

  test('a key of the file, and the log knows which one it was', async () => {
    const answer = await harness.chat(hello('team-alias'), { authorization: `Bearer ${FILE_KEY}` })
    const row = await harness.rowOf(answer)
    assert.equal(row['workspace'], 'team')
    const key = await harness.gateway.store.db
      .selectFrom('keys')
      .select(['name'])
      .where('id', '=', String(row['key_id']))
      .executeTakeFirst()
    assert.equal(key?.name, 'from-variable')
  })
})

describe('refused with 401', () => {
  const refused: [what: string, header: string][] = [
    ['no key', ''],
    ['an admin key', `Bearer ${ADMIN_KEY}`],
    ['an expired key', `Bearer ${EXPIRED}`],
    ['a key that left the file', `Bearer ${GONE}`],
    ['an unknown key', 'Bearer gw_live_00000000000000000000000000000000'],
    ['a key in other letters', `Bearer ${KEY.toUpperCase()}`],
    ['the beginning of a key', `Bearer ${KEY.slice(0, -1)}`],
    ['a key and more', `Bearer ${KEY}x`],
    ['two keys', `Bearer ${KEY} ${KEY}`],
    ['a key without a scheme', KEY],
    ['another scheme', `Basic ${KEY}`],
    ['the hash of a key', 'Bearer 0'.padEnd(71, '0')],
    ['nothing after the scheme', 'Bearer'],
  ]
  for (const [what, header] of refused) {
    test(what, async () => {
      assert.equal(await statusWith(header), 401)
      const answer = await harness.get('/v1/models', { authorization: header })
      assert.equal(answer.status, 401)
      assert.equal(answer.json.error.code, 'unauthorized')
    })
  }

  test('a wrong form and an admin key are named', async () => {
    for (const [authorization, expected] of [
      [KEY, /Authorization: Bearer /],
      [`Basic ${KEY}`, /Authorization: Bearer /],
      [`Bearer ${ADMIN_KEY}`, /not an admin key/],
    ] as const) {
      assert.match((await harness.get('/v1/models', { authorization })).json.error.message, expected)
    }
  })

  test('a key in the address instead of the header', async () => {
    assert.equal((await harness.get(`/v1/models?key=${KEY}&api_key=${KEY}`, {})).status, 401)
  })

  test('the same words for an unknown, an expired and a revoked key', async () => {
    const texts = await Promise.all(
      ['gw_live_unknown', EXPIRED, GONE].map(
        async (key) => (await harness.get('/v1/models', { authorization: `Bearer ${key}` })).text,
      ),
    )
    assert.equal(new Set(texts).size, 1)
  })
})

test('no key is in the data folder in clear text', async () => {
  await harness.rows()
  const secrets = [KEY, ADMIN_KEY, FILE_KEY, EXPIRED, FUTURE, GONE, 'sk-test-openai-key', 'sk-ant-test-key']
  const files = filesUnder(join(folder, 'data'))
  for (const kind of ['.db', '.log'])
    assert.ok(
      files.some((path) => path.endsWith(kind)),
      kind,
    )
  for (const path of files) {
    const bytes = readFileSync(path)
    assert.deepEqual(
      secrets.filter((secret) => bytes.includes(secret)),
      [],
      path,
    )
  }
})
