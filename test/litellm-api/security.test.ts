import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { ROLES } from '../../src/domain/access.ts'
import { ROWS } from '../../src/litellm-api/litellm-routes.ts'
import { CONTRACT } from '../../src/management/contract/contract.ts'
import { ADMIN_KEY, type Harness, hello, KEY, startHarness } from '../harness.ts'
import { ask, asking } from './ask.ts'

const PATHS = [
  ...ROWS.map(({ method, path }) => ({ method, path: path.replace(':key', 'sk-some-key-of-a-caller') })),
  ...['/health/liveliness', '/health/liveness', '/health/readiness', '/models'].map((path) => ({
    method: 'GET' as const,
    path,
  })),
  ...[
    '/chat/completions',
    '/embeddings',
    '/responses',
    '/engines/m/chat/completions',
    '/openai/deployments/m/embeddings',
  ].map((path) => ({ method: 'POST' as const, path })),
]

let harness: Harness
const send = asking(() => harness)

before(async () => {
  const environment = { LITELLM_API: 'on', ADMIN_PORT: '0' }
  harness = await startHarness({ environment })
})
after(() => harness.stop())

const atAdmin = (wire: Parameters<typeof ask>[1]) => ask(harness.gateway.adminUrl, wire)
const admin = (method: string, path: string, body?: unknown) =>
  atAdmin({ method: method as 'GET' | 'POST', path, ...(body === undefined ? {} : { body }) })

describe('while it is off', () => {
  let off: Harness
  before(async () => {
    off = await startHarness()
  })
  after(() => off.stop())
  for (const { method, path } of PATHS) {
    test(`${method} ${path} does not exist`, async () => {
      const answer = await ask(off.url, { method, path, ...(method === 'POST' ? { body: {} } : {}) })
      assert.deepEqual([answer.status, answer.json.error.code], [404, 'not_found'])
    })
  }
  test("LiteLLM's fields go to the provider as before, and no header is added", async () => {
    const answer = await off.chat(hello('gpt-sim-echo', { metadata: { a: 'b' } }))
    assert.deepEqual(off.sent().metadata, { a: 'b' })
    assert.deepEqual(
      [...answer.headers.keys()].filter((name) => name.startsWith('x-litellm')),
      [],
    )
  })
})

describe('where administration has its own port', () => {
  for (const { method, path, access } of ROWS.filter((row) => row.access === 'admin')) {
    test(`${method} ${path} is not on the port for calls (${access})`, async () => {
      const at = path.replace(':key', 'sk-some-key-of-a-caller')
      assert.equal((await send({ method, path: at, ...(method === 'POST' ? { body: {} } : {}) })).status, 404)
    })
  }
  test('an admin key reads nothing on the port for calls', async () => {
    assert.equal((await send({ method: 'GET', path: `/key/info?key=${KEY}` })).status, 403)
  })
})

describe('roles: each row needs what its operation of our own API needs', () => {
  const keys: Record<string, string> = {}
  before(async () => {
    for (const role of ROLES) {
      const made = await admin('POST', '/admin-keys', { name: `as-${role}`, role, workspaces: ['default'] })
      keys[role] = made.json.value
    }
  })
  for (const { method, path, operation, access } of ROWS) {
    const { role: needed, scope } = CONTRACT[operation]
    for (const role of ROLES) {
      const isEnough = ROLES.indexOf(role) >= ROLES.indexOf(needed) && scope !== 'gateway'
      if (isEnough) continue
      test(`${method} ${path} refuses ${role} of one workspace`, async () => {
        const at = path.replace(':key', 'sk-some-key-of-a-caller')
        const body = method === 'POST' ? { body: {} } : {}
        const answer = await atAdmin({ method, path: at, key: keys[role] ?? '', ...body })
        assert.deepEqual([answer.status, answer.json.error.type], [403, 'auth_error'])
      })
    }
    if (access !== 'admin') continue
    test(`${method} ${path} refuses a gateway key`, async () => {
      const at = path.replace(':key', 'sk-some-key-of-a-caller')
      const answer = await atAdmin({ method, path: at, key: KEY, ...(method === 'POST' ? { body: {} } : {}) })
      assert.deepEqual([answer.status, answer.json.error.code], [403, '403'])
    })
  }
  test('an editor of one workspace sees and changes nothing of another', async () => {
    await admin('POST', '/team/new', { team_id: 'foreign' })
    const { json: made } = await admin('POST', '/key/generate', { team_id: 'foreign', key_alias: 'theirs' })
    const editor = { key: keys['editor'] ?? '' }
    const as = (method: 'GET' | 'POST', path: string, body?: unknown) =>
      atAdmin({ method, path, ...editor, ...(body === undefined ? {} : { body }) })
    assert.equal((await as('GET', `/key/info?key=${made.key}`)).status, 404)
    assert.equal((await as('POST', '/key/update', { key: made.token, max_budget: 1 })).status, 404)
    assert.equal((await as('POST', '/key/delete', { keys: [made.key], key_aliases: ['theirs'] })).status, 404)
    assert.equal((await as('POST', '/key/generate', { team_id: 'foreign' })).status, 403)
    assert.equal((await as('GET', '/team/info?team_id=foreign')).status, 403)
    assert.equal((await as('GET', '/key/list?team_id=foreign')).json.total_count, 0)
    assert.deepEqual(
      (await as('GET', '/team/list')).json.map((team: { team_id: string }) => team.team_id),
      ['default'],
    )
    const logs = await as('GET', `/spend/logs?api_key=${made.token}`)
    assert.equal(logs.status, 403)
  })
})

describe('a gateway key', () => {
  test('reads nothing of another key or team, nor whether it exists', async () => {
    const { json: other } = await admin('POST', '/key/generate', { team_id: 'foreign' })
    const answers = await Promise.all(
      [
        `/key/info?key=${other.key}`,
        '/key/info?key=sk-there-is-no-such-key',
        '/team/info?team_id=foreign',
        '/team/info?team_id=there-is-none',
        '/user/info?user_id=somebody',
      ].map((path) => send({ method: 'GET', path, key: KEY })),
    )
    assert.deepEqual(
      answers.map(({ status }) => status),
      [403, 403, 403, 403, 403],
    )
    assert.equal(answers[0]?.text, answers[1]?.text)
    assert.equal(answers[2]?.text, answers[3]?.text)
  })
  test('is not its hash', async () => {
    for (const at of [harness.url, harness.gateway.adminUrl]) {
      const answer = await ask(at, { method: 'GET', path: '/key/info', key: hash('sha256', KEY, 'hex') })
      assert.deepEqual([answer.status, answer.json.error.type], [401, 'auth_error'])
    }
    const chat = await harness.chat(hello('gpt-sim-echo'), { authorization: `Bearer ${hash('sha256', KEY, 'hex')}` })
    assert.equal(chat.status, 401)
  })
  test('is no SQL', async () => {
    for (const text of ["sk-'OR'1'='1", "sk-';drop/**/table/**/keys;--", 'sk-%']) {
      assert.equal((await send({ method: 'GET', path: '/key/info', key: text })).status, 401)
      const path = `/key/info?key=${encodeURIComponent(text)}`
      assert.equal((await admin('GET', path)).status, 404)
      assert.equal((await admin('GET', `/key/list?key_alias=${encodeURIComponent(text)}`)).json.total_count, 0)
      assert.equal((await admin('GET', `/key/list?user_id=${encodeURIComponent(text)}`)).json.total_count, 0)
    }
  })
  test('without any key there is 401', async () => {
    const answer = await fetch(`${harness.url}/key/info`)
    assert.equal(answer.status, 401)
  })
})

describe("LiteLLM's master key", () => {
  const MASTER = 'sk-master-key-of-litellm'
  before(async () => {
    const made = await admin('POST', '/key/generate', { key: MASTER, key_alias: 'litellm-master' })
    const { id } = (await admin('GET', '/keys?search=litellm-master')).json.data[0]
    assert.equal(made.status, 200)
    const set = await fetch(`${harness.gateway.adminUrl}/keys/${id}/litellm-master`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' },
      body: '{}',
    })
    assert.deepEqual(await set.json(), { key_id: id })
  })
  test('is an admin here, and a caller', async () => {
    const made = await atAdmin({ method: 'POST', path: '/key/generate', key: MASTER, body: { key_alias: 'by-master' } })
    assert.equal(made.status, 200, made.text)
    assert.equal((await harness.chat(hello('gpt-sim-echo'), { authorization: `Bearer ${MASTER}` })).status, 200)
    assert.equal((await atAdmin({ method: 'GET', path: '/key/info', key: MASTER })).status, 404)
  })
  test('is no admin of our own API', async () => {
    assert.equal((await atAdmin({ method: 'GET', path: '/keys', key: MASTER })).status, 403)
  })
  test('is no admin on the port for calls', async () => {
    assert.equal((await send({ method: 'GET', path: `/key/info?key=${KEY}`, key: MASTER })).status, 403)
  })
})

test('the audit log names the key and the person behind the tool; never a value', async () => {
  const made = await atAdmin({
    method: 'POST',
    path: '/key/generate',
    body: { key_alias: 'audited' },
    headers: { 'litellm-changed-by': 'ada@example.com' },
  })
  const answer = await fetch(`${harness.gateway.adminUrl}/audit?limit=500`, {
    headers: { authorization: `Bearer ${ADMIN_KEY}` },
  })
  const text = await answer.text()
  const [newest] = JSON.parse(text).data
  assert.equal(newest.action, 'keys.adopt')
  assert.match(newest.actor_name, / \(litellm-changed-by: ada@example\.com\)$/)
  assert.ok(!text.includes(made.json.key))
})
