import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ADMIN_KEY, type Harness, startHarness } from '../harness.ts'

const CONFIG = `
workspaces:
  filed:
    routes: { a: { chain: [{ provider: openai, model: gpt-6-luna }] } }
`

let harness: Harness
before(async () => {
  harness = await startHarness({ config: CONFIG })
})
after(() => harness.stop())

async function ask(method: string, path: string, body?: unknown) {
  const response = await fetch(harness.url + path, {
    method,
    headers: { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, json: text === '' ? null : JSON.parse(text) }
}

describe('workspaces', () => {
  test('default and those of the file exist from the start', async () => {
    const { json } = await ask('GET', '/workspaces')
    assert.deepEqual(
      json.data.map((row: { name: string }) => row.name),
      ['default', 'filed'],
    )
    assert.equal(json.next_cursor, null)
  })

  test('are created, described, listed page by page, and deleted', async () => {
    const created = await ask('POST', '/workspaces', { name: 'team-a', description: 'first' })
    assert.equal(created.status, 201)
    assert.deepEqual([created.json.routes, created.json.live_keys, created.json.description], [0, 0, 'first'])
    assert.equal((await ask('PATCH', '/workspaces/team-a', { description: null })).json.description, null)
    assert.equal((await ask('GET', '/workspaces/team-a')).json.description, null)
    const first = (await ask('GET', '/workspaces?limit=2')).json
    const second = (await ask('GET', `/workspaces?limit=2&cursor=${first.next_cursor}`)).json
    assert.deepEqual([first.data.length, second.data.map((row: { name: string }) => row.name)], [2, ['team-a']])
    assert.equal((await ask('DELETE', '/workspaces/team-a')).status, 204)
    assert.equal((await ask('GET', '/workspaces/team-a')).status, 404)
  })

  test('with live keys go only by force, and their keys with them', async () => {
    await ask('POST', '/workspaces', { name: 'team-b' })
    const { value } = (await ask('POST', '/keys?workspace=team-b', { name: 'app' })).json
    const refused = await ask('DELETE', '/workspaces/team-b')
    assert.deepEqual([refused.status, refused.json.error.code], [409, 'conflict'])
    assert.equal((await harness.get('/v1/models', { authorization: `Bearer ${value}` })).status, 200)
    assert.equal((await ask('DELETE', '/workspaces/team-b?force=true')).status, 204)
    assert.equal((await harness.get('/v1/models', { authorization: `Bearer ${value}` })).status, 401)
  })

  const refused: [string, string, unknown, number, string][] = [
    ['POST', '/workspaces', { name: 'default' }, 409, 'conflict'],
    ['POST', '/workspaces', { name: '-bad' }, 400, 'invalid_request'],
    ['POST', '/workspaces', { name: 'x', colour: 'red' }, 400, 'invalid_request'],
    ['POST', '/workspaces', {}, 400, 'invalid_request'],
    ['GET', '/workspaces/nowhere', undefined, 404, 'not_found'],
    ['PATCH', '/workspaces/nowhere', { description: 'x' }, 404, 'not_found'],
    ['DELETE', '/workspaces/nowhere', undefined, 404, 'not_found'],
    ['DELETE', '/workspaces/default?force=true', undefined, 409, 'conflict'],
    ['DELETE', '/workspaces/filed?force=true', undefined, 409, 'managed_by_config'],
    ['GET', '/workspaces?cursor=nonsense', undefined, 400, 'invalid_request'],
    ['GET', '/workspaces?limit=0', undefined, 400, 'invalid_request'],
    ['GET', '/workspaces?limit=many', undefined, 400, 'invalid_request'],
  ]
  for (const [method, path, body, status, code] of refused) {
    test(`${method} ${path} ${JSON.stringify(body) ?? ''} is ${status} ${code} and changes nothing`, async () => {
      const before = (await ask('GET', '/workspaces')).json
      const answer = await ask(method, path, body)
      assert.deepEqual([answer.status, answer.json.error.code], [status, code])
      assert.deepEqual((await ask('GET', '/workspaces')).json, before)
    })
  }
})

describe('the audit list', () => {
  test('holds each change with its actor, newest first, and no change that did not happen', async () => {
    await ask('POST', '/workspaces', { name: 'audited', description: 'one' })
    await ask('PATCH', '/workspaces/audited', { description: 'two' })
    await ask('PATCH', '/workspaces/audited', { description: 'two' })
    await ask('POST', '/workspaces', { name: 'audited' })
    await ask('DELETE', '/workspaces/audited')
    const { json } = await ask('GET', '/audit?resource=workspaces/audited')
    assert.deepEqual(
      json.data.map((row: { action: string }) => row.action),
      ['workspaces.delete', 'workspaces.update', 'workspaces.create'],
    )
    const [, update] = json.data
    assert.deepEqual(
      [update.actor_name, update.before.description, update.after.description],
      ['ADMIN_KEY', 'one', 'two'],
    )
  })

  test('is read page by page', async () => {
    const first = (await ask('GET', '/audit?limit=1')).json
    const second = (await ask('GET', `/audit?limit=1&cursor=${first.next_cursor}`)).json
    assert.ok(first.data[0].id > second.data[0].id)
  })
})
