import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, describe, test } from 'node:test'
import { hello, type Json, startHarness } from '../harness.ts'
import { managing } from './manage.ts'

const harness = await startHarness({ config: 'workspaces: { team: {} }' })
after(() => harness.stop())
const manage = managing(() => harness)

const secretOf = (name: string) => `sk-example-of-another-gateway-${name}`
const hashOf = (name: string) => createHash('sha256').update(secretOf(name)).digest('hex')
const keyOf = (name: string, more: Json = {}) => ({ workspace: 'team', name, hash: hashOf(name), ...more })
const adopt = (keys: Json[], more: Json = {}) => manage('POST', '/keys/adopt-many', { keys, ...more })
const call = (name: string) =>
  harness.chat(hello('gpt-sim-echo'), { authorization: `Bearer ${secretOf(name)}` }).then(({ status }) => status)
const NOTHING = { created: 0, changed: 0, unchanged: 0, renamed: [], refused: [] }

describe('keys that move in together', () => {
  test('work with the values their holders have, and a second time nothing changes', async () => {
    const soon = new Date(Date.now() + 3_600_000).toISOString()
    const limits = { rpm: 5, budget: { usd: '10', per: 'month', mode: 'soft' } }
    const keys = [
      keyOf('one', { limits, opening_spend: { usd: '4.5' }, note: { user_id: 'ada' }, prefix: 'sk-...-one' }),
      keyOf('two', { paused: true }),
      keyOf('three', { earlier_values: [{ hash: hashOf('three-before'), ends_at: soon }] }),
    ]
    assert.deepEqual((await adopt(keys, { dry_run: true })).json, { ...NOTHING, created: 3 })
    assert.equal(await call('one'), 401)
    assert.deepEqual((await adopt(keys)).json, { ...NOTHING, created: 3 })
    assert.deepEqual(await Promise.all(['one', 'two', 'three', 'three-before'].map(call)), [200, 403, 200, 200])
    assert.equal((await harness.chat(hello('x'), { authorization: `Bearer ${hashOf('one')}` })).status, 401)
    const { data } = (await manage('GET', '/keys?workspace=team&search=one')).json
    assert.deepEqual(
      [data[0].limits.rpm, data[0].opening_spend.usd, data[0].note, data[0].prefix],
      [5, '4.5', { user_id: 'ada' }, 'sk-...-one'],
    )
    assert.deepEqual((await adopt(keys)).json, { ...NOTHING, unchanged: 3 })
    const grown = [keyOf('one', { opening_spend: { usd: '6' }, limits: null })]
    assert.deepEqual((await adopt(grown)).json, { ...NOTHING, changed: 1 })
    const [after] = (await manage('GET', '/keys?workspace=team&search=one')).json.data
    assert.deepEqual([after.opening_spend.usd, after.limits.rpm], ['6', 5])
    const audit = (await manage('GET', `/audit?resource=keys/${after.id}`)).json.data
    assert.deepEqual(
      audit.map((row: Json) => row.action),
      ['keys.adopt', 'keys.adopt'],
    )
  })

  test('are renamed where the name is taken, and refused with the reason', async () => {
    await manage('POST', '/keys?workspace=team', { name: 'taken' })
    const gone = await manage('POST', '/keys/adopt?workspace=team', { name: 'gone', hash: hashOf('gone') })
    await manage('DELETE', `/keys/${gone.json.id}`)
    const { json } = await adopt([
      keyOf('taken'),
      { ...keyOf('taken-too'), name: 'taken' },
      keyOf('gone'),
      keyOf('late', { expires_at: '2020-01-01T00:00:00Z' }),
      keyOf('lost', { workspace: 'nowhere' }),
      keyOf('taken'),
    ])
    assert.equal(json.created, 2)
    assert.deepEqual(
      json.renamed.map(({ name }: Json) => name),
      [`taken-${hashOf('taken').slice(0, 4)}`, `taken-${hashOf('taken-too').slice(0, 4)}`],
    )
    assert.deepEqual(
      json.refused.map(({ reason }: Json) => reason),
      [
        'The key was revoked here.',
        'expires_at is in the past.',
        "There is no workspace 'nowhere'.",
        'The hash is in the list twice.',
      ],
    )
    assert.equal(await call('taken'), 200)
  })

  test('at most a thousand at once, each with a hash', async () => {
    const { status, json } = await adopt([{ workspace: 'team', name: 'x', hash: 'not a hash' }])
    assert.equal(status, 400)
    assert.match(json.error.message, /keys\[0\]\.hash: the SHA-256 of the value/)
    assert.equal((await adopt(Array.from({ length: 1_001 }, (_, index) => keyOf(`n${index}`)))).status, 400)
    const full = Array.from({ length: 1_000 }, (_, index) => keyOf(`n${index}`))
    assert.equal((await adopt(full, { more: true })).json.created, 1_000)
    assert.equal(await call('n0'), 401)
    assert.equal((await adopt([keyOf('last')])).json.created, 1)
    assert.deepEqual([await call('n0'), await call('n999'), await call('last')], [200, 200, 200])
  })
})
