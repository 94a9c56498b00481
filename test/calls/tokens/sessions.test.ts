import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Harness, hello, KEY, startHarness } from '../../harness.ts'
import { managing } from '../../management/manage.ts'
import { AUDIENCE, startIssuer, type TestIssuer } from './token-issuer.ts'

let harness: Harness
let issuer: TestIssuer
let other: string
const manage = managing(() => harness)
const bearer = (value: string) => ({ authorization: `Bearer ${value}` })
const call = (key: string, session: string, more: Record<string, string> = {}) =>
  harness.chat(hello('gpt-4o-mini'), { ...bearer(key), 'x-gateway-session': session, ...more })
const session = (key: string, name = 'run-1') => harness.get(`/v1/sessions/${encodeURIComponent(name)}`, bearer(key))

before(async () => {
  issuer = await startIssuer()
  harness = await startHarness()
  const made = (await manage('POST', '/keys', { name: 'other' })).json
  other = made.value
  const rules = [{ when: { team: 'a' }, key_id: made.id, user: 'sub' }]
  await manage('PUT', '/token-issuers/acme', {
    issuer: issuer.url,
    audiences: [AUDIENCE],
    algorithms: ['ES256'],
    rules,
  })
})
after(async () => {
  await harness.stop()
  await issuer.stop()
})

test('a key reads the tree and the cost of its own session, and nothing of another key', async () => {
  for (const more of [{}, { 'x-gateway-agent': 'a' }, { 'x-gateway-agent': 'b', 'x-gateway-parent': 'a' }]) {
    assert.equal((await call(KEY, 'run-1', more as Record<string, string>)).status, 200)
  }
  assert.equal((await call(other, 'run-1')).status, 200)
  assert.equal((await call(other, 'theirs')).status, 200)
  const { status, json } = await session(KEY)
  assert.deepEqual([status, json.object, json.session, json.requests], [200, 'session', 'run-1', 3])
  assert.deepEqual(
    json.agents.map(({ agent, depth }: { agent: string | null; depth: number }) => [agent, depth]),
    [
      [null, 0],
      ['a', 1],
      ['b', 2],
    ],
  )
  assert.ok(Number(json.cost_usd) > 0)
  assert.deepEqual([json.keys, json.workspace], [undefined, undefined])
  assert.equal((await session(other)).json.requests, 1)
  assert.deepEqual([(await session(KEY, 'theirs')).status, (await session(other, 'theirs')).status], [404, 200])
})

test('of a key that several people share by tokens, each sees their own calls', async () => {
  const [anna, bob] = ['anna', 'bob'].map((sub) => issuer.token({ team: 'a', sub })) as [string, string]
  for (const token of [anna, anna, bob]) assert.equal((await call(token, 'shared')).status, 200)
  assert.equal((await session(anna, 'shared')).json.requests, 2)
  assert.equal((await session(bob, 'shared')).json.requests, 1)
  assert.equal((await session(bob, 'run-1')).status, 404)
  assert.equal((await session(other, 'shared')).json.requests, 3)
})

test('a key sees what is left of its budgets for the session; those who share it by tokens do not', async () => {
  const limits = { budgets: [{ each: 'session', usd: '1', per: 'total' }] }
  const { id, value } = (await manage('POST', '/keys', { name: 'limited', limits })).json
  const rules = [{ when: { team: 'c' }, key_id: id, user: 'sub' }]
  const settings = { issuer: issuer.url, audiences: [AUDIENCE], algorithms: ['ES256'], rules }
  assert.ok((await manage('PUT', '/token-issuers/acme', settings)).status < 300)
  const carol = issuer.token({ team: 'c', sub: 'carol' })
  for (const holder of [carol, value]) assert.equal((await call(holder, 'left')).status, 200)
  const { cost_usd: cost, budgets } = (await session(value, 'left')).json
  assert.deepEqual(
    budgets.map(({ spent_usd: spent }: { spent_usd: string }) => spent),
    [cost],
  )
  assert.deepEqual((await session(carol, 'left')).json.budgets, [])
})

test('without a key, or with an admin key, there is no session', async () => {
  assert.equal((await harness.get('/v1/sessions/run-1', {})).status, 401)
  assert.equal((await session('gw_live_unknown0000000000000000000000000')).status, 401)
  assert.equal((await session(issuer.token({ team: 'b' }))).status, 403)
})
