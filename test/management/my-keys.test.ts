import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { CONTRACT } from '../../src/management/contract/contract.ts'
import type { Operation } from '../../src/management/contract/operation.ts'
import { type Harness, hello, type Json, startHarness } from '../harness.ts'
import { Browser, gatewayAddress, startProvider, type TestProvider } from '../oidc.ts'
import { managing } from './manage.ts'

let harness: Harness
let provider: TestProvider
const manage = managing(() => harness)
const LIMITS = { rpm: 100, budget: { usd: '5', per: 'month', mode: 'soft' } }

before(async () => {
  const address = await gatewayAddress()
  provider = await startProvider([address.callback])
  const groups = 'developers=member@research; staff=viewer'
  const environment = { ...provider.environment(address.url), PORT: address.port, OIDC_GROUP_ROLES: groups }
  harness = await startHarness({ environment })
  assert.equal((await manage('POST', '/workspaces', { name: 'research' })).status, 201)
  const template = {
    workspace: 'research',
    limits: LIMITS,
    allowed_models: ['gpt-sim-echo'],
    max_keys: 2,
    max_days: 30,
  }
  assert.equal((await manage('PUT', '/key-templates/developers', template)).status, 201)
  assert.equal((await manage('PUT', '/key-templates/elsewhere', {})).status, 201)
})
after(async () => {
  await harness.stop()
  await provider.stop()
})

/** A person who has signed in: their requests, and their id. */
async function person(sub: string, group = 'developers') {
  const { url } = harness
  const browser = new Browser()
  provider.account = { sub, email: `${sub}@example.com`, email_verified: true, name: sub, groups: [group] }
  await browser.open(await browser.follow(`${url}/sign-in`, `${url}/sign-in/callback`))
  const headers = { 'x-switchyard-dashboard': '1', 'content-type': 'application/json', cookie: browser.cookie(url) }
  const ask = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(url + path, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, text, json: (text === '' ? null : JSON.parse(text)) as Json }
  }
  const current = await ask('GET', '/sessions/current')
  return { ask, id: current.json.person_id as string, current: current.json }
}
const call = (value: string, model = 'gpt-sim-echo') => harness.chat(hello(model), { authorization: `Bearer ${value}` })
const DAY_MS = 86_400_000

describe('a member', () => {
  test('may do what concerns their own keys, and nothing else', async () => {
    const { ask, current } = await person('mara')
    const own = ['my-keys.templates', 'my-keys.list', 'my-keys.create', 'my-keys.rotate', 'my-keys.revoke']
    assert.deepEqual(
      current.operations
        .filter((name: string) => name !== 'sessions.current' && !/^sessions\.(create|options|end)$/.test(name))
        .sort(),
      own.sort(),
    )
    for (const [name, operation] of Object.entries(CONTRACT as Record<string, Operation>)) {
      if (operation.isPublic || own.includes(name) || name === 'sessions.current') continue
      const path = operation.path.replace(/\{\w+\}/g, 'nothing')
      const { status } = await ask(operation.method, path, operation.method === 'GET' ? undefined : {})
      assert.equal(status, 403, name)
    }
  })

  test('makes a key within the template, calls with it, rotates and revokes it', async () => {
    const { ask, id: owner } = await person('ada')
    assert.deepEqual(
      (await ask('GET', '/me/key-templates')).json.data.map(({ name }: Json) => name),
      ['developers'],
    )
    const made = await ask('POST', '/me/keys', { name: 'laptop', template: 'developers' })
    assert.equal(made.status, 201, made.text)
    const { id, value } = made.json
    assert.deepEqual([made.json.workspace, made.json.allowed_models], ['research', ['gpt-sim-echo']])
    assert.equal(made.json.limits.budget.usd, '5')
    const days = (Date.parse(made.json.expires_at) - Date.now()) / DAY_MS
    assert.ok(days > 29.9 && days <= 30, String(days))
    assert.equal((await call(value)).status, 200)
    assert.equal((await call(value, 'gpt-4o-mini')).status, 403)
    const rotated = await ask('POST', `/me/keys/${id}/rotate`, {})
    assert.equal(rotated.status, 201, rotated.text)
    assert.deepEqual([(await call(value)).status, (await call(rotated.json.value)).status], [401, 200])
    const { data } = (await ask('GET', '/me/keys')).json
    assert.deepEqual(
      data.map((key: Json) => [key.id, key.name, key.template]),
      [[id, 'laptop', 'developers']],
    )
    assert.ok(Number(data[0].spent_usd) >= 0)
    assert.doesNotMatch(JSON.stringify(data), new RegExp(rotated.json.value))
    const seen = (await manage('GET', `/keys/${id}`)).json
    assert.deepEqual(seen.note, { owner: 'ada@example.com', template: 'developers' })
    const audit = (await manage('GET', `/audit?resource=keys/${id}`)).json.data
    assert.deepEqual(
      audit.map((row: Json) => [row.action, row.actor]),
      [
        ['my-keys.rotate', owner],
        ['my-keys.create', owner],
      ],
    )
    assert.equal((await ask('DELETE', `/me/keys/${id}`)).status, 204)
    assert.equal((await call(rotated.json.value)).status, 401)
    assert.equal((await ask('POST', `/me/keys/${id}/rotate`, {})).status, 409)
  })

  test('is held to the template: number, expiry, workspace, name', async () => {
    const { ask } = await person('bob')
    const make = (body: object) => ask('POST', '/me/keys', { template: 'developers', ...body })
    const late = new Date(Date.now() + 31 * DAY_MS).toISOString()
    assert.equal((await make({ name: 'late', expires_at: late })).status, 400)
    assert.equal((await make({ name: 'for-ever', expires_at: null })).status, 400)
    assert.equal((await make({ name: 'past', expires_at: '2020-01-01T00:00:00Z' })).status, 400)
    assert.equal((await make({ name: 'x', template: 'elsewhere' })).status, 404)
    assert.equal((await make({ name: 'x', limits: { rpm: 1_000 } })).status, 400)
    assert.equal((await make({ name: 'one' })).status, 201)
    assert.equal((await make({ name: 'one' })).status, 409)
    const two = await make({ name: 'two', expires_at: new Date(Date.now() + DAY_MS).toISOString() })
    assert.equal(two.status, 201, two.text)
    const three = await make({ name: 'three' })
    assert.deepEqual([three.status, /as many keys/.test(three.text)], [409, true])
    assert.equal((await ask('DELETE', `/me/keys/${two.json.id}`)).status, 204)
    const races = await Promise.all(['a', 'b', 'c'].map((name) => make({ name: `race-${name}` })))
    assert.deepEqual(races.map(({ status }) => status).sort(), [201, 409, 409])
  })

  test('reaches no key of another person, and none that an admin made', async () => {
    const [eve, tom] = [await person('eve'), await person('tom')]
    const made = await tom.ask('POST', '/me/keys', { name: 'toms', template: 'developers' })
    const plain = (await manage('POST', '/keys?workspace=research', { name: 'plain' })).json
    for (const id of [made.json.id, plain.id]) {
      assert.equal((await eve.ask('POST', `/me/keys/${id}/rotate`, {})).status, 404)
      assert.equal((await eve.ask('DELETE', `/me/keys/${id}`)).status, 404)
    }
    assert.deepEqual((await eve.ask('GET', '/me/keys')).json.data, [])
    assert.equal((await call(made.json.value)).status, 200)
  })

  test('who is disabled or removed has no working key left; one who may come back makes a new one', async () => {
    for (const [sub, end] of [
      ['dora', (id: string) => manage('PATCH', `/people/${id}`, { disabled: true })],
      ['finn', (id: string) => manage('DELETE', `/people/${id}`)],
    ] as const) {
      const { ask, id } = await person(sub)
      const { value } = (await ask('POST', '/me/keys', { name: `of-${sub}`, template: 'developers' })).json
      assert.equal((await call(value)).status, 200)
      await end(id)
      assert.equal((await call(value)).status, 401)
      assert.equal((await ask('GET', '/me/keys')).status, 401)
    }
  })
})

test('another role has keys of its own, too, where its access covers the workspace', async () => {
  const { ask } = await person('vic', 'staff')
  const names = (await ask('GET', '/me/key-templates')).json.data.map(({ name }: Json) => name)
  assert.deepEqual(names, ['developers', 'elsewhere'])
  assert.equal((await ask('POST', '/me/keys', { name: 'vics', template: 'elsewhere' })).status, 201)
})

test('a changed template holds for the keys that were made from it; with working keys it stays', async () => {
  const { ask } = await person('gil')
  const { id, value } = (await ask('POST', '/me/keys', { name: 'gils', template: 'developers' })).json
  const template = { workspace: 'research', allowed_models: ['gpt-4o-mini'], max_keys: 2, max_days: 30 }
  assert.equal((await manage('PUT', '/key-templates/developers', template)).status, 200)
  assert.deepEqual([(await call(value)).status, (await call(value, 'gpt-4o-mini')).status], [403, 200])
  assert.equal((await manage('GET', `/keys/${id}`)).json.limits, null)
  assert.equal((await manage('PUT', '/key-templates/developers', { ...template, workspace: 'default' })).status, 409)
  assert.equal((await manage('DELETE', '/key-templates/developers')).status, 409)
})

test('an admin key that is revoked takes its own keys along', async () => {
  const admin = (await manage('POST', '/admin-keys', { name: 'robot', role: 'member', workspaces: ['research'] })).json
  const as = { authorization: `Bearer ${admin.value}` }
  const made = await manage('POST', '/me/keys', { name: 'robots', template: 'developers' }, as)
  assert.equal(made.status, 201, made.text)
  assert.equal((await manage('GET', '/keys', undefined, as)).status, 403)
  assert.equal((await manage('DELETE', `/admin-keys/${admin.id}`)).status, 204)
  assert.equal((await call(made.json.value, 'gpt-4o-mini')).status, 401)
})
