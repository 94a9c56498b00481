import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Harness, hello, type Json, startHarness } from '../harness.ts'
import { managing } from './manage.ts'

const ROUTES = `
      resilient:
        chain:
          - { provider: openai, model: gpt-sim-503, retries: 0 }
          - { provider: anthropic, model: claude-sim-echo }
      broken: { chain: [{ provider: openai, model: gpt-sim-503, retries: 0 }] }`
const CONFIG = `
workspaces:
  default:
    routes:${ROUTES}
  own:
    routes:${ROUTES}
`

let harness: Harness
/** A viewer of the workspace `own`. */
let viewer: Record<string, string>
const manage = managing(() => harness)
const read = async (path: string, headers = {}) => (await manage('GET', path, undefined, headers)).json

before(async () => {
  harness = await startHarness({ config: CONFIG, environment: { STREAMING: 'on' } })
  const { value } = (await manage('POST', '/keys?workspace=own', { name: 'own' })).json
  const theirs = { authorization: `Bearer ${value}` }
  const calls = [
    ...['resilient', 'broken', 'gpt-sim-echo', 'nothing'].map((model) => harness.chat(hello(model))),
    ...['resilient', 'gpt-sim-echo'].map((model) => harness.chat(hello(model), theirs)),
  ]
  await Promise.all(calls)
  await harness.chat({ ...hello('gpt-sim-echo'), stream: true })
  const made = await manage('POST', '/admin-keys', { name: 'viewer', role: 'viewer', workspaces: ['own'] })
  viewer = { authorization: `Bearer ${made.json.value}` }
})
after(() => harness.stop())

describe('latency and errors', () => {
  test('of all workspaces, by default of the last seven days', async () => {
    const { workspace, from, to, interval, group_by: groupBy, data, total } = await read('/performance')
    assert.deepEqual([workspace, interval, groupBy, data.length], [null, null, null, 1])
    assert.deepEqual([total.requests, total.errors], [7, 2])
    assert.deepEqual(total.codes, { model_not_found: 1, provider_overloaded: 1 })
    assert.deepEqual([total.duration_ms.count, total.first_content_ms.count], [5, 1])
    for (const { p50, p95, p99 } of [total.duration_ms, total.first_content_ms]) assert.ok(p50 <= p95 && p95 <= p99)
    const { start, group, ...figures } = data[0]
    assert.deepEqual([start, group, figures], [null, null, total])
    const days = (Date.parse(to) - Date.parse(from)) / 86_400_000
    assert.ok(days >= 7 && days <= 7 + 2 / 24, 'whole hours')
  })

  for (const [query, expected] of [
    ['group_by=route', { null: 4, broken: 1, resilient: 2 }],
    ['group_by=provider', { null: 1, anthropic: 2, openai: 4 }],
    ['group_by=model', { null: 1, 'anthropic/claude-sim-echo': 2, 'openai/gpt-sim-503': 1, 'openai/gpt-sim-echo': 3 }],
    ['group_by=route&provider=anthropic', { resilient: 2 }],
    ['group_by=model&route=', { null: 1, 'openai/gpt-sim-echo': 3 }],
    ['group_by=model&model=gpt-sim-503&workspace=default', { 'openai/gpt-sim-503': 1 }],
    ['group_by=route&workspace=own', { null: 1, resilient: 1 }],
  ] as const) {
    test(query, async () => {
      const { data } = await read(`/performance?${query}`)
      assert.deepEqual(Object.fromEntries(data.map((row: Json) => [String(row.group), row.requests])), expected)
    })
  }

  test('what was answered a moment ago is in it, over time', async () => {
    const before = (await read('/performance?interval=day')).total.requests
    await harness.chat(hello('gpt-sim-echo'))
    const { data, total } = await read('/performance?interval=day')
    assert.equal(total.requests, before + 1)
    for (const { start } of data) assert.match(start, /T00:00:00\.000Z$/)
  })

  for (const [query, message] of [
    ['from=2026-01-01&to=2026-03-01', /at most 31 days/],
    ['from=2026-01-02&to=2026-01-01', /earlier than to/],
    ['from=2999-01-01', /not in the future/],
    ['interval=minute', /at most 3 hours/],
    ['group_by=key', /group_by/],
  ] as const) {
    test(`${query} is refused`, async () => {
      for (const path of ['/performance', '/performance/providers']) {
        const { status, json } = await manage('GET', `${path}?${query}`)
        assert.equal(status, 400)
        if (path === '/performance') assert.match(json.error.message, message)
      }
    })
  }
})

describe('providers', () => {
  test('count every attempt, also those of calls that another one served', async () => {
    const { data, total } = await read('/performance/providers?workspace=default')
    assert.deepEqual(
      data.map(({ provider, attempts, failures, rescued }: Json) => [provider, attempts, failures, rescued]),
      [
        ['anthropic', 1, 0, 0],
        ['openai', total.attempts - 1, 2, 1],
      ],
    )
    assert.deepEqual(total.codes, { provider_overloaded: 2 })
    const one = await read('/performance/providers?workspace=default&provider=openai&interval=hour')
    assert.deepEqual([one.total.failures, one.data[0].provider], [2, 'openai'])
  })
})

describe('usage of all workspaces', () => {
  test('is what each of them says by itself', async () => {
    const { data, total } = await read('/usage/workspaces')
    assert.deepEqual(
      data.map(({ workspace }: Json) => workspace),
      ['default', 'own'],
    )
    for (const { workspace, start, group, name: _name, is_rest: _rest, ...sums } of data) {
      assert.equal(group, workspace)
      assert.deepEqual([start, sums], [null, (await read(`/usage?workspace=${workspace}`)).total])
    }
    assert.equal(total.requests, data[0].requests + data[1].requests)
  })

  test('tells who spent most: keys with their workspace, models and users added up', async () => {
    const byKey = await read('/usage/workspaces?group_by=key')
    for (const { workspace, name, requests } of byKey.data) {
      const { data } = await read(`/usage?workspace=${workspace}&group_by=key`)
      assert.deepEqual(requests, data.find((each: Json) => each.name === name)?.requests)
    }
    assert.deepEqual(new Set(byKey.data.map(({ workspace }: Json) => workspace)), new Set(['default', 'own']))
    for (const group of ['model', 'user', 'session']) {
      const { data, total, group_by: by } = await read(`/usage/workspaces?group_by=${group}`)
      const groups = data.map((each: Json) => JSON.stringify([each.workspace, each.group]))
      assert.deepEqual([by, new Set(groups).size], [group, groups.length])
      assert.equal(
        data.reduce((sum: number, each: Json) => sum + each.requests, 0),
        total.requests,
      )
    }
  })
})

describe('a viewer of one workspace', () => {
  test('sees that one only', async () => {
    assert.equal((await read('/performance', viewer)).total.requests, 2)
    assert.equal((await read('/performance/providers', viewer)).total.attempts, 3)
    const { data } = await read('/usage/workspaces', viewer)
    assert.deepEqual(
      data.map(({ workspace, requests }: Json) => [workspace, requests]),
      [['own', 2]],
    )
  })

  test('is refused another one', async () => {
    for (const path of ['/performance', '/performance/providers']) {
      assert.equal((await manage('GET', `${path}?workspace=own`, undefined, viewer)).status, 200)
      const { status, json } = await manage('GET', `${path}?workspace=default`, undefined, viewer)
      assert.deepEqual([status, json.error.code], [403, 'forbidden'])
    }
  })
})
