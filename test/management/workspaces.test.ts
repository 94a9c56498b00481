import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ADMIN_KEY, type Harness, startHarness } from '../harness.ts'

const CONFIG = `
workspaces:
  filed:
    routes: { a: { chain: [{ provider: openai, model: gpt-6-luna }] } }
  capped:
    streaming: false
    limits: { rpm: 60, budget: { usd: "25.50", per: week, mode: soft } }
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
      ['capped', 'default', 'filed'],
    )
    assert.equal(json.next_cursor, null)
  })

  test('are created, described, listed page by page, and deleted', async () => {
    const created = await ask('POST', '/workspaces', { name: 'team-a', description: 'first' })
    assert.equal(created.status, 201)
    assert.deepEqual([created.json.routes, created.json.live_keys, created.json.description], [0, 0, 'first'])
    assert.equal((await ask('PATCH', '/workspaces/team-a', { description: null })).json.description, null)
    assert.equal((await ask('GET', '/workspaces/team-a')).json.description, null)
    const first = (await ask('GET', '/workspaces?limit=3')).json
    const second = (await ask('GET', `/workspaces?limit=3&cursor=${first.next_cursor}`)).json
    assert.deepEqual([first.data.length, second.data.map((row: { name: string }) => row.name)], [3, ['team-a']])
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
    ['PATCH', '/workspaces/capped', { limits: null }, 409, 'managed_by_config'],
    ['PATCH', '/workspaces/capped', { limits: { rpm: 1 }, description: 'x' }, 409, 'managed_by_config'],
    ['PATCH', '/workspaces/capped', { streaming: true }, 409, 'managed_by_config'],
    ['PATCH', '/workspaces/default', { streaming: 'on' }, 400, 'invalid_request'],
    ['DELETE', '/workspaces/capped', undefined, 409, 'managed_by_config'],
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

describe('streaming of a workspace', () => {
  const modelsOf = (value: string) => harness.get('/v1/models', { authorization: `Bearer ${value}` })

  test('is the default, on or off; the next call and the audit list see it', async () => {
    const created = await ask('POST', '/workspaces', { name: 'live', streaming: true })
    assert.deepEqual([created.json.streaming, created.json.streaming_managed_by], [true, null])
    const { value } = (await ask('POST', '/keys?workspace=live', { name: 'app' })).json
    assert.equal((await modelsOf(value)).headers.get('x-gateway-streaming'), 'on')
    assert.equal((await ask('PATCH', '/workspaces/live', { description: 'x' })).json.streaming, true)
    assert.equal((await ask('PATCH', '/workspaces/live', { streaming: false })).json.streaming, false)
    assert.equal((await modelsOf(value)).headers.get('x-gateway-streaming'), 'off')
    assert.equal((await ask('PATCH', '/workspaces/live', { streaming: null })).json.streaming, null)
    const { json } = await ask('GET', '/audit?resource=workspaces/live')
    assert.deepEqual([json.data[0].before.streaming, json.data[0].after.streaming], [false, null])
    assert.equal((await ask('GET', '/status')).json.streaming, false)
  })

  test('of the file is the file’s', async () => {
    const { json } = await ask('GET', '/workspaces/capped')
    assert.deepEqual([json.streaming, json.streaming_managed_by], [false, 'config'])
  })
})

describe('limits of a workspace', () => {
  const LIMITS = {
    rpm: 10,
    tpm: 1_000_000_000,
    max_parallel: 1,
    budget: { usd: '999999999.999999999999', per: 'day' },
  }

  test('are set when it is made, read back with what was left out, replaced as a whole, taken away', async () => {
    const created = await ask('POST', '/workspaces', { name: 'limited', limits: LIMITS })
    assert.equal(created.status, 201)
    const full = { ...LIMITS, budget: { ...LIMITS.budget, mode: 'hard' } }
    assert.deepEqual([created.json.limits, created.json.limits_managed_by], [full, null])
    const described = await ask('PATCH', '/workspaces/limited', { description: 'x' })
    assert.deepEqual(described.json.limits, full)
    assert.deepEqual((await ask('PATCH', '/workspaces/limited', { limits: { rpm: 5 } })).json.limits, { rpm: 5 })
    assert.equal((await ask('PATCH', '/workspaces/limited', { limits: null })).json.limits, null)
    assert.equal((await ask('GET', '/workspaces/limited')).json.description, 'x')
    const { json } = await ask('GET', '/audit?resource=workspaces/limited')
    assert.deepEqual([json.data[0].before.limits, json.data[0].after.limits], [{ rpm: 5 }, null])
  })

  test('of the file are shown as the file has them, and its description can still be changed', async () => {
    const { json } = await ask('PATCH', '/workspaces/capped', { description: 'ours' })
    assert.deepEqual(json.limits, { rpm: 60, budget: { usd: '25.50', per: 'week', mode: 'soft' } })
    assert.deepEqual([json.limits_managed_by, json.description], ['config', 'ours'])
  })

  const bad: [string, unknown][] = [
    ['limits.rpm', { rpm: 0 }],
    ['limits.rpm', { rpm: -1 }],
    ['limits.rpm', { rpm: 1.5 }],
    ['limits.rpm', { rpm: '60' }],
    ['limits.tpm', { tpm: 1_000_000_001 }],
    ['limits.tpm', { tpm: null }],
    ['limits.max_parallel', { max_parallel: true }],
    ['limits.budget.usd', { budget: { usd: '-5', per: 'day' } }],
    ['limits.budget.usd', { budget: { usd: 5, per: 'day' } }],
    ['limits.budget.usd', { budget: { usd: '5 USD', per: 'day' } }],
    ['limits.budget.usd', { budget: { usd: '0.00', per: 'day' } }],
    ['limits.budget.usd', { budget: { usd: '1e3', per: 'day' } }],
    ['limits.budget.usd', { budget: { usd: '1000000000', per: 'day' } }],
    ['limits.budget.usd', { budget: { usd: '0.0000000000001', per: 'day' } }],
    ['limits.budget.per', { budget: { usd: '5', per: 'year' } }],
    ['limits.budget.per', { budget: { usd: '5' } }],
    ['limits.budget.mode', { budget: { usd: '5', per: 'day', mode: 'firm' } }],
    ['budget_usd', { budget_usd: '5' }],
    ['limits', 'none'],
  ]
  for (const [field, limits] of bad) {
    test(`${JSON.stringify(limits)} is refused by the name of ${field}, at workspaces and at keys alike`, async () => {
      for (const path of ['/workspaces', '/keys']) {
        const { status, json } = await ask('POST', path, { name: 'never', limits })
        assert.deepEqual([status, json.error.code], [400, 'invalid_request'])
        assert.ok(json.error.message.includes(field), json.error.message)
      }
      assert.equal((await ask('GET', '/workspaces/never')).status, 404)
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
