import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ADMIN_KEY, type Harness, type Json, startHarness } from '../harness.ts'
import { auditOf, managing } from './manage.ts'

let harness: Harness
before(async () => {
  harness = await startHarness()
})
after(() => harness.stop())

const manage = managing(() => harness)
const as = (value: string) => ({ authorization: `Bearer ${value}` })
const works = async (value: string) => (await manage('GET', '/admin-keys', undefined, as(value))).status === 200
const only = async (): Promise<Json> => {
  const { data } = (await manage('GET', '/admin-keys')).json
  return data.find((key: Json) => key.name === 'ADMIN_KEY')
}

describe('create', () => {
  test('answers 201 with the value once; it works at once', async () => {
    const created = await manage('POST', '/admin-keys', { name: 'ana', expires_at: '2999-01-01T00:00:00Z' })
    assert.equal(created.status, 201)
    const { value, id, ...rest } = created.json
    assert.match(value, /^gw_admin_[0-9A-Za-z]{32}$/)
    assert.deepEqual(Object.keys(rest).sort(), [
      'created_at',
      'expires_at',
      'name',
      'prefix',
      'revoked_at',
      'role',
      'workspaces',
    ])
    assert.deepEqual([rest.name, rest.prefix, rest.revoked_at], ['ana', value.slice(0, 12), null])
    assert.deepEqual([rest.role, rest.workspaces], ['admin', null], 'everything, unless said otherwise')
    assert.ok(await works(value))
    assert.equal((await harness.get('/v1/models', as(value))).status, 401, 'an admin key is no gateway key')
    const [audit] = await auditOf(manage, `admin-keys/${id}`)
    assert.deepEqual([audit.action, audit.actor_name, audit.before], ['admin-keys.create', 'ADMIN_KEY', null])
    assert.ok(!JSON.stringify(audit).includes(value))
  })

  test('names the actor of its own changes', async () => {
    const { value, id } = (await manage('POST', '/admin-keys', { name: 'ben' })).json
    const created = await manage('POST', '/keys', { name: 'by-ben' }, as(value))
    const [audit] = await auditOf(manage, `keys/${created.json.id}`)
    assert.deepEqual([audit.actor, audit.actor_name], [id, 'ben'])
  })

  const refused: [what: string, body: unknown, status: number, words: RegExp][] = [
    ['no name', {}, 400, /^name: /],
    ['an unknown field', { name: 'x', allowed_models: ['a'] }, 400, /"allowed_models"/],
    ['an expiry in the past', { name: 'x', expires_at: '2020-01-01T00:00:00Z' }, 400, /^expires_at: /],
    ['a name that is taken', { name: 'ADMIN_KEY' }, 409, /'ADMIN_KEY'/],
  ]
  for (const [what, body, status, words] of refused) {
    test(`refuses ${what}`, async () => {
      const answer = await manage('POST', '/admin-keys', body)
      assert.equal(answer.status, status)
      assert.match(answer.json.error.message, words)
    })
  }
})

describe('list', () => {
  test('pages, newest first, without values and without gateway keys', async () => {
    const all = await manage('GET', '/admin-keys')
    assert.ok(!all.text.includes(ADMIN_KEY))
    assert.ok(all.json.data.every((key: Json) => key.prefix.startsWith('gw_admin_')))
    const first = await manage('GET', '/admin-keys?limit=1')
    const second = await manage('GET', `/admin-keys?limit=1&cursor=${first.json.next_cursor}`)
    assert.deepEqual([...first.json.data, ...second.json.data], all.json.data.slice(0, 2))
  })
})

describe('revoke', () => {
  test('ends a key at once; its own one too, while another works', async () => {
    const { id, value } = (await manage('POST', '/admin-keys', { name: 'leaver' })).json
    assert.equal((await manage('DELETE', `/admin-keys/${id}`, undefined, as(value))).status, 204)
    assert.ok(!(await works(value)))
    assert.equal((await manage('DELETE', `/admin-keys/${id}`)).status, 204)
    const actions = (await auditOf(manage, `admin-keys/${id}`)).map((row: Json) => row.action)
    assert.deepEqual(actions, ['admin-keys.revoke', 'admin-keys.create'])
  })

  test('never the last one that works: 409, at any concurrency', async () => {
    const { data } = (await manage('GET', '/admin-keys')).json
    const { id } = await only()
    for (const key of data) if (key.id !== id) await manage('DELETE', `/admin-keys/${key.id}`)
    const last = await manage('DELETE', `/admin-keys/${id}`)
    assert.deepEqual([last.status, last.json.error.code], [409, 'conflict'])
    assert.ok(await works(ADMIN_KEY))

    const other = (await manage('POST', '/admin-keys', { name: 'other' })).json
    const answers = await Promise.all([id, other.id].map((one) => manage('DELETE', `/admin-keys/${one}`)))
    const statuses = answers.map((answer) => answer.status).sort()
    assert.ok(statuses[0] === 204 && (statuses[1] === 409 || statuses[1] === 401), String(statuses))
    assert.equal([await works(ADMIN_KEY), await works(other.value)].filter(Boolean).length, 1)
  })

  test('is 404 for a gateway key or nothing', async () => {
    const present = await startHarness()
    try {
      const fresh = managing(() => present)
      const { id } = (await fresh('POST', '/keys', { name: 'live' })).json
      for (const one of [id, 'nothing']) assert.equal((await fresh('DELETE', `/admin-keys/${one}`)).status, 404)
    } finally {
      await present.stop()
    }
  })
})
