import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Harness, type Json, startHarness } from '../harness.ts'
import { managing } from './manage.ts'

let harness: Harness
const manage = managing(() => harness)
before(async () => {
  harness = await startHarness({
    config:
      'workspaces:\n  default:\n    routes:\n      fixed:\n        chain: [{ provider: openai, model: gpt-4o }]\n',
  })
})
after(() => harness.stop())

const versions = async (resource: string): Promise<Json[]> =>
  (await manage('GET', `/audit?resource=${encodeURIComponent(resource)}`)).json.data
const restore = (id: string, body: object = {}, headers = {}) => manage('POST', `/audit/${id}/restore`, body, headers)
const chain = (model: string) => [{ provider: 'openai', model }]

async function put(path: string, body: object): Promise<void> {
  const { status, text } = await manage('PUT', path, body)
  assert.ok(status < 300, text)
}

describe('POST /audit/{id}/restore', () => {
  test('of a route: an earlier version is the newest again, and audited', async () => {
    await put('/routes/fast', { chain: chain('gpt-4o'), description: 'first' })
    await put('/routes/fast', { chain: chain('gpt-4o-mini') })
    const [, first] = await versions('routes/fast')
    const { json } = await restore(first?.['id'])
    assert.deepEqual([json.changed, json.before.chain, json.notes], [true, chain('gpt-4o-mini'), []])
    const route = (await manage('GET', '/routes/fast')).json
    assert.deepEqual([route.chain, route.description], [chain('gpt-4o'), 'first'])
    const [newest] = await versions('routes/fast')
    assert.deepEqual([newest?.['action'], newest?.['after'].description], ['routes.restore', 'first'])
    assert.equal((await restore(first?.['id'])).json.changed, false)
    assert.equal((await versions('routes/fast')).length, 3)
  })

  test('of a deletion: it is there again; what it needs and is gone is named', async () => {
    await put('/providers/mine', { family: 'openai', base_url: 'https://mine.example/v1', api_key: 'sk-mine' })
    await put('/routes/gone', { chain: [{ provider: 'mine', model: 'm' }] })
    await manage('DELETE', '/routes/gone')
    await manage('DELETE', '/providers/mine')
    const [route] = await versions('routes/gone')
    const refused = await restore(route?.['id'])
    assert.equal(refused.status, 400)
    assert.match(refused.json.error.message, /no provider 'mine'/)
    const [provider] = await versions('providers/mine')
    const { json } = await restore(provider?.['id'])
    assert.deepEqual(json.notes, ['Enter again, because secrets are not recorded: API key.'])
    assert.equal((await manage('GET', '/providers/mine')).json.has_api_key, false)
    assert.equal((await restore(route?.['id'])).json.changed, true)
    assert.equal((await manage('GET', '/routes/gone')).status, 200)
  })

  test('of a provider keeps the stored key, and sends it to no other address', async () => {
    const body = { family: 'openai', base_url: 'https://a.example/v1', headers: { 'x-team': 'secret' } }
    await put('/providers/kept', { ...body, api_key: 'sk-1' })
    await put('/providers/kept', { ...body, on_estimate: 'hold', api_key: 'sk-2' })
    await put('/providers/kept', { family: 'openai', base_url: 'https://b.example/v1', api_key: 'sk-3', headers: {} })
    const [, second, first] = await versions('providers/kept')
    const refused = await restore(second?.['id'])
    assert.equal(refused.status, 409)
    assert.match(refused.json.error.message, /enter its key again/)
    await put('/providers/kept', { ...body, on_estimate: 'hold', api_key: 'sk-4' })
    assert.equal((await restore(first?.['id'])).json.changed, true)
    const provider = (await manage('GET', '/providers/kept')).json
    assert.deepEqual([provider.on_estimate, provider.has_api_key], ['estimate', true])
    assert.deepEqual(provider.headers, { 'x-team': '***' })
  })

  test('of a key: its settings, not its values; of a revoked one it says why not', async () => {
    const { id, value } = (await manage('POST', '/keys', { name: 'limited', limits: { rpm: 5 } })).json
    await manage('PATCH', `/keys/${id}`, { limits: null, allowed_models: ['fast'] })
    const created = (await versions(`keys/${id}`)).at(-1)
    await restore(created?.['id'])
    const key = (await manage('GET', `/keys/${id}`)).json
    assert.deepEqual([key.limits, key.allowed_models, key.prefix], [{ rpm: 5 }, null, value.slice(0, 12)])
    await manage('DELETE', `/keys/${id}`)
    const refused = await restore(created?.['id'])
    assert.equal(refused.status, 409)
    assert.match(refused.json.error.message, /revoked/)
  })

  test('of a workspace: its settings, and one that was deleted', async () => {
    await manage('POST', '/workspaces', { name: 'sales', limits: { rpm: 5 } })
    await manage('PATCH', '/workspaces/sales', { limits: { rpm: 9 }, streaming: false })
    const [, created] = await versions('workspaces/sales')
    await restore(created?.['id'])
    const { limits, streaming } = (await manage('GET', '/workspaces/sales')).json
    assert.deepEqual([limits, streaming], [{ rpm: 5 }, null])
    await manage('DELETE', '/workspaces/sales')
    const [deleted] = await versions('workspaces/sales')
    assert.match((await restore(deleted?.['id'])).json.notes[0], /routes and keys/)
    assert.equal((await manage('GET', '/workspaces/sales')).json.limits.rpm, 5)
  })

  test('of a model: prices as they were, also before the first change', async () => {
    const path = '/registry/openai/gpt-4o'
    const builtin = (await manage('GET', path)).json
    await put(path, { input_per_mtok: '99', output_per_mtok: '99' })
    const [changed] = await versions('registry/openai/gpt-4o')
    assert.equal((await restore(changed?.['id'], { version: 'before' })).json.changed, true)
    const model = (await manage('GET', path)).json
    assert.deepEqual(
      [model.input_per_mtok, model.output_per_mtok, model.context_window],
      [builtin.input_per_mtok, builtin.output_per_mtok, builtin.context_window],
    )
  })

  test('is refused for what the file manages, for what has no version, and for other kinds', async () => {
    const [fixed] = await versions('routes/fixed')
    assert.equal((await restore(fixed?.['id'])).json.error.code, 'managed_by_config')
    await put('/routes/new', { chain: chain('gpt-4o') })
    const [made] = await versions('routes/new')
    const none = await restore(made?.['id'], { version: 'before' })
    assert.match(none.json.error.message, /no version before/)
    const { id } = (await manage('POST', '/admin-keys', { name: 'other' })).json
    const [other] = await versions(`admin-keys/${id}`)
    assert.match((await restore(other?.['id'])).json.error.message, /Only changes of routes/)
  })

  test('needs the role and scope of the change itself', async () => {
    const { value } = (await manage('POST', '/admin-keys', { name: 'editor', role: 'editor' })).json
    const [workspace] = await versions('workspaces/sales')
    const [route] = await versions('routes/fast')
    const as = { authorization: `Bearer ${value}` }
    const refused = await restore(workspace?.['id'], {}, as)
    assert.equal(refused.status, 403)
    assert.match(refused.json.error.message, /requires the role 'admin'/)
    assert.equal((await restore(route?.['id'], {}, as)).status, 200)
  })
})
