import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ROLES, type Role } from '../../src/domain/access.ts'
import { CONTRACT } from '../../src/management/contract/contract.ts'
import type { Operation } from '../../src/management/contract/operation.ts'
import { createPerson } from '../../src/store/control/people.ts'
import { ADMIN_KEY, type Answered, type Harness, type Json, startHarness } from '../harness.ts'
import { managing } from './manage.ts'

let harness: Harness
const manage = managing(() => harness)

/** Operations that everybody may ask for, who or what they are. */
const operations = Object.entries(CONTRACT as Record<string, Operation>).filter(([, { isPublic }]) => !isPublic)
const all = new Map<Role, string>()
const own = new Map<Role, string>()
/** What is in a workspace that the scoped keys have no access to. */
const foreign = {
  key: '',
  value: '',
  request: '',
  audit: '',
  session: '',
  full: '',
  adminKey: '',
  person: '',
  invite: '',
  alert: '',
}

const as = (value: string | undefined) => ({ authorization: `Bearer ${value}` })

before(async () => {
  harness = await startHarness({ environment: { SECRETS_KEY: 'a-key-for-stored-content' } })
  for (const name of ['own', 'foreign']) {
    assert.equal((await manage('POST', '/workspaces', { name, limits: { rpm: 100 }, content: {} })).status, 201)
  }
  const key = (await manage('POST', '/keys?workspace=foreign', { name: 'foreign-key', limits: { rpm: 9 } })).json
  const chain = [{ provider: 'openai', model: 'gpt-4o-mini' }]
  assert.equal((await manage('PUT', '/routes/foreign-route?workspace=foreign', { chain })).status, 201)
  const called = await harness.chat(
    { model: 'foreign-route', messages: [{ role: 'user', content: 'hi' }] },
    as(key.value),
  )
  foreign.key = key.id
  foreign.value = (await manage('GET', `/keys/${key.id}/values`)).json.data[0].id
  foreign.request = called.headers.get('x-gateway-request-id') ?? ''
  foreign.audit = (await manage('GET', `/audit?resource=keys/${key.id}`)).json.data[0].id
  foreign.alert = 'alert-of-theirs'
  await harness.gateway.store.db
    .insertInto('alerts')
    .values({
      ...{ id: foreign.alert, identity: 'x', rule: 'budget', severity: 'info', subject: 'key x', workspace: 'foreign' },
      ...{ summary: 'x', since: 1, seen_at: 1, hold_ms: 0, fired_at: 1, resolved_at: 2 },
    })
    .execute()
  for (const role of ROLES) {
    const make = async (name: string, workspaces: string[] | null) =>
      (await manage('POST', '/admin-keys', { name, role, workspaces })).json
    all.set(role, (await make(`${role}-of-all`, null)).value)
    own.set(role, (await make(`${role}-of-own`, ['own'])).value)
    foreign.adminKey = (await make(`foreign-${role}`, ['foreign'])).id
  }
  const invited = await manage('POST', '/invites', { email: 'foreign@example.com', workspaces: ['foreign'] })
  foreign.invite = invited.json.id
  assert.equal((await manage('PUT', '/key-templates/foreign-template', { workspace: 'foreign' })).status, 201)
  const access = { role: 'viewer', workspaces: ['foreign'] } as const
  const who = { issuer: 'https://id.example', subject: 'foreign-person', email: null, name: null }
  const { db } = harness.gateway.store
  foreign.person = (await createPerson(db, { ...who, access, roleFrom: 'invite' }, 1)).id
  const opened = await fetch(`${harness.url}/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ key: ADMIN_KEY }),
  })
  const session = (await opened.json()) as Json
  foreign.session = session.id
  foreign.full = session.key_id
})
after(() => harness.stop())

interface Asked {
  params?: Record<string, string>
  workspace?: string
  body?: unknown
}

/** With what is never there, so that nothing of the gateway changes where it is let in. */
function ask(name: string, value: string | undefined, { params = {}, workspace, body }: Asked = {}): Promise<Answered> {
  const operation = CONTRACT[name as keyof typeof CONTRACT] as Operation
  const path = operation.path.replace(/\{(\w+)\}/g, (_, field: string) => params[field] ?? 'nothing')
  const query = new URLSearchParams()
  if (workspace !== undefined && 'workspace' in operation.query.shape) query.set('workspace', workspace)
  if (name === 'chat.try') query.set('key', 'nothing')
  const hasBody = operation.body.type !== 'undefined'
  return asking(operation.method, `${path}?${query}`, hasBody ? (body ?? {}) : undefined, value)
}

async function asking(method: string, path: string, body: unknown, value: string | undefined): Promise<Answered> {
  const response = await fetch(harness.url + path, {
    method,
    headers: { ...as(value), 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: isJson && text !== '' ? JSON.parse(text) : null,
  }
}

const isRefused = ({ status, json }: Answered) => status === 403 && json.error.code === 'forbidden'

describe('every operation with every role', () => {
  for (const [name, operation] of operations) {
    test(`${name}: ${operation.role}`, async () => {
      for (const role of ROLES) {
        const answer = await ask(name, all.get(role))
        const may = ROLES.indexOf(role) >= ROLES.indexOf(operation.role)
        assert.equal(isRefused(answer), !may, `${role}: ${answer.status} ${answer.text}`)
        assert.notEqual(answer.status, 401)
        if (!may) assert.match(answer.json.error.message, new RegExp(`requires the role '${operation.role}'`))
      }
    })
  }
})

/** How each operation that is about rows is asked for a foreign one, and what it then says: a status, or a list without it. */
const FOREIGN_ROWS: Record<string, { params?: () => Record<string, string>; body?: unknown; status?: number }> = {
  'workspaces.list': {},
  'admin-keys.list': {},
  'admin-keys.create': { body: { name: 'more', role: 'viewer', workspaces: ['own', 'foreign'] }, status: 403 },
  'admin-keys.revoke': { params: () => ({ id: foreign.adminKey }), status: 404 },
  'people.list': {},
  'people.update': { params: () => ({ id: foreign.person }), body: { role: 'viewer' }, status: 404 },
  'people.remove': { params: () => ({ id: foreign.person }), status: 404 },
  'people.end-sessions': { params: () => ({ id: foreign.person }), status: 404 },
  'invites.list': {},
  'invites.create': { body: { email: 'more@example.com', workspaces: ['foreign'] }, status: 403 },
  'invites.withdraw': { params: () => ({ id: foreign.invite }), status: 404 },
  'my-keys.templates': {},
  'my-keys.list': {},
  'my-keys.create': { body: { name: 'mine', template: 'foreign-template' }, status: 404 },
  'my-keys.rotate': { params: () => ({ id: foreign.key }), status: 404 },
  'my-keys.revoke': { params: () => ({ id: foreign.key }), status: 404 },
  'sessions.list': {},
  'sessions.revoke': { params: () => ({ id: foreign.session }), status: 404 },
  'providers.routes': { params: () => ({ name: 'openai' }) },
  'requests.get': { params: () => ({ id: foreign.request }), status: 404 },
  'requests.content': { params: () => ({ id: foreign.request }), status: 404 },
  'requests.delete-content': { params: () => ({ id: foreign.request }), status: 404 },
  'requests.explain': { params: () => ({ id: foreign.request }), status: 404 },
  'budgets.list': {},
  'raises.list': {},
  'raises.end': { params: () => ({ id: 'none' }), status: 404 },
  'corrections.list': {},
  'corrections.create': {
    ...{ body: { kind: 'released', request_ids: ['chatcmpl_none'], reason: 'not billed' } },
    status: 404,
  },
  'alerts.list': {},
  'audit.list': {},
  'audit.restore': { params: () => ({ id: foreign.audit }), status: 404 },
  'audit.get': { params: () => ({ id: foreign.audit }), status: 404 },
  'status.get': {},
  'nodes.list': {},
  'usage.workspaces': {},
  // They name no workspace: performance.test.ts counts.
  'performance.get': {},
  'performance.providers': {},
  ...Object.fromEntries(
    ['get', 'values', 'update', 'rotate', 'pause', 'resume', 'revoke', 'revoke-value'].map((change) => [
      `keys.${change}`,
      { params: () => ({ id: foreign.key, value_id: foreign.value }), status: 404 },
    ]),
  ),
  'keys.opening-spend': { params: () => ({ id: foreign.key }), body: { usd: '1' }, status: 404 },
}

const NAMELESS = [
  'my-keys.list',
  'corrections.list',
  'raises.list',
  'status.get',
  'nodes.list',
  'performance.get',
  'performance.providers',
]

describe('every operation with access to another workspace', () => {
  for (const [name, { scope }] of operations) {
    test(`${name}: ${scope}`, async () => {
      const admin = own.get('admin')
      if (scope === 'gateway') {
        const answer = await ask(name, admin)
        assert.ok(isRefused(answer), answer.text)
        assert.match(answer.json.error.message, /requires access to all workspaces\. Yours covers: own\.$/)
      } else if (scope === 'workspace') {
        const params = { name: 'foreign', alias: 'foreign-route' }
        const answer = await ask(name, admin, { workspace: 'foreign', params })
        assert.ok(isRefused(answer), answer.text)
        assert.match(answer.json.error.message, /does not cover the workspace 'foreign'/)
        const theirs = await ask(name, admin, { workspace: 'own', params: { name: 'own' } })
        assert.ok(!isRefused(theirs), theirs.text)
      } else if (scope === 'rows') {
        const row = FOREIGN_ROWS[name]
        assert.ok(row, 'say in FOREIGN_ROWS how it is asked for what is not theirs')
        const answer = await ask(name, admin, { params: row.params?.() ?? {}, body: row.body })
        assert.equal(answer.status, row.status ?? 200, answer.text)
        if (row.status !== undefined) return
        assert.doesNotMatch(answer.text, /foreign/)
        // The actor of a visible change is always named.
        const { full, ...theirs } = foreign
        const hidden = Object.values(name === 'audit.list' ? theirs : { ...theirs, full })
        for (const id of hidden) assert.ok(!answer.text.includes(id), `${id} in ${answer.text}`)
      } else {
        const answer = await ask(name, admin)
        assert.ok(!isRefused(answer), answer.text)
        assert.doesNotMatch(answer.text, /foreign/)
      }
    })
  }
  test('the foreign rows are there for those who have access', async () => {
    for (const [name, row] of Object.entries(FOREIGN_ROWS)) {
      if (CONTRACT[name as keyof typeof CONTRACT].method !== 'GET' || NAMELESS.includes(name)) continue
      const answer = await ask(name, ADMIN_KEY, { params: row.params?.() ?? {} })
      assert.equal(answer.status, 200, `${name}: ${answer.text}`)
      const ids = Object.values(foreign)
      assert.ok(/foreign/.test(answer.text) || ids.some((id) => answer.text.includes(id)), `${name}: ${answer.text}`)
    }
  })
})

describe('nobody gives more than they have', () => {
  const create = (by: string | undefined, body: object) => manage('POST', '/admin-keys', body, as(by))

  test('an editor creates no admin key at all', async () => {
    const answer = await create(all.get('editor'), { name: 'by-editor', role: 'viewer' })
    assert.deepEqual([answer.status, answer.json.error.code], [403, 'forbidden'])
  })

  test('an admin of some workspaces gives access to these only', async () => {
    for (const workspaces of [null, ['foreign'], ['own', 'foreign']]) {
      const answer = await create(own.get('admin'), { name: 'wide', role: 'viewer', workspaces })
      assert.equal(answer.status, 403, answer.text)
      assert.match(answer.json.error.message, /^You cannot give more access than your own: admin, own\.$/)
    }
    assert.equal((await create(own.get('admin'), { name: 'wide' })).status, 403, 'all workspaces are the default')
    const made = await create(own.get('admin'), { name: 'narrow', role: 'admin', workspaces: ['own'] })
    assert.equal(made.status, 201)
    assert.equal((await manage('DELETE', `/admin-keys/${made.json.id}`, undefined, as(own.get('admin')))).status, 204)
  })

  test('an admin of some workspaces revokes nobody who may do more', async () => {
    const answer = await manage('DELETE', `/admin-keys/${foreign.full}`, undefined, as(own.get('admin')))
    assert.equal(answer.status, 404)
  })

  test('a workspace that is not there is refused', async () => {
    const answer = await create(ADMIN_KEY, { name: 'lost', role: 'viewer', workspaces: ['nowhere'] })
    assert.deepEqual([answer.status, answer.json.error.message], [400, "workspaces: there is no workspace 'nowhere'"])
  })

  test('the last key with full access stays, however many others there are', async () => {
    const keys = (await manage('GET', '/admin-keys?limit=100')).json.data as Json[]
    const full = keys.filter(
      ({ role, workspaces, revoked_at }) => role === 'admin' && workspaces === null && !revoked_at,
    )
    for (const { id } of full) if (id !== foreign.full) await manage('DELETE', `/admin-keys/${id}`)
    const answer = await manage('DELETE', `/admin-keys/${foreign.full}`)
    assert.equal(answer.status, 409)
  })
})

test('a session has the access of its key, and says what it may do', async () => {
  const opened = await fetch(`${harness.url}/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ key: own.get('viewer') }),
  })
  assert.equal(opened.status, 201)
  const cookie = opened.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
  const read = async (path: string) =>
    (await fetch(harness.url + path, { headers: { cookie } })).json() as Promise<Json>
  const current = await read('/sessions/current')
  assert.deepEqual([current.role, current.workspaces], ['viewer', ['own']])
  assert.ok(current.operations.includes('requests.list'))
  for (const name of ['keys.create', 'chat.try', 'config.export']) assert.ok(!current.operations.includes(name), name)
  const created = await fetch(`${harness.url}/keys?workspace=own`, {
    method: 'POST',
    headers: { cookie, 'content-type': 'application/json', 'x-switchyard-dashboard': '1' },
    body: JSON.stringify({ name: 'by-viewer' }),
  })
  assert.equal(created.status, 403)
  assert.deepEqual(
    (await read('/sessions')).data.map(({ id }: Json) => id),
    [current.session_id],
  )
})

test('a key loses a workspace that is deleted, also for a later one of that name', async () => {
  await manage('POST', '/workspaces', { name: 'short' })
  const { value } = (await manage('POST', '/admin-keys', { name: 'shorty', role: 'viewer', workspaces: ['short'] }))
    .json
  assert.equal((await manage('GET', '/keys?workspace=short', undefined, as(value))).status, 200)
  assert.equal((await manage('DELETE', '/workspaces/short')).status, 204)
  await manage('POST', '/workspaces', { name: 'short' })
  assert.equal((await manage('GET', '/keys?workspace=short', undefined, as(value))).status, 403)
  assert.deepEqual((await manage('GET', '/workspaces', undefined, as(value))).json.data, [])
  assert.deepEqual((await manage('GET', '/audit', undefined, as(value))).json.data, [])
})
