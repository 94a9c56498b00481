import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { picodollarsOfUsd } from '../../src/domain/pricing/price.ts'
import { type Harness, hello, type Json, startHarness } from '../harness.ts'
import { closeRecord } from '../test-store.ts'
import { managing } from './manage.ts'

const CONFIG = `
workspaces:
  default:
    routes:
      resilient:
        chain:
          - { provider: openai, model: gpt-sim-503, retries: 0 }
          - { provider: anthropic, model: claude-sim-echo }
      broken: { chain: [{ provider: openai, model: gpt-sim-503, retries: 0 }] }
registry:
  - { provider: anthropic, model: claude-sim-echo, input_per_mtok: "2.5", output_per_mtok: "15" }
  - { provider: openai, model: gpt-sim-echo, input_per_mtok: "0.15", output_per_mtok: "0.6" }
`

let harness: Harness
before(async () => {
  harness = await startHarness({ config: CONFIG })
  const calls = ['resilient', 'resilient', 'broken', 'gpt-sim-echo', 'gpt-unpriced-sim-echo', 'nothing']
  await Promise.all(calls.map((model) => harness.chat(hello(model))))
})
after(() => harness.stop())

const manage = managing(() => harness)
const usage = async (query = '') => (await manage('GET', `/usage${query}`)).json

describe('sums', () => {
  test('include what was just answered and equal the sum of the rows', async () => {
    const rows = await harness.rows()
    const { data, total, interval, group_by: groupBy } = await usage()
    const sum = (column: string) => rows.reduce((all, row) => all + Number(row[column] ?? 0), 0)
    assert.deepEqual([data.length, interval, groupBy], [1, null, null])
    assert.deepEqual([total.requests, total.errors, total.fallbacks, total.unpriced_requests], [6, 2, 2, 1])
    assert.equal(total.prompt_tokens, sum('prompt_tokens'))
    assert.equal(total.completion_tokens, sum('completion_tokens'))
    const cost = rows.reduce((all, row) => all + BigInt((row['cost_picodollars'] as number | null) ?? 0), 0n)
    assert.ok(cost > 0n)
    assert.equal(picodollarsOfUsd(total.cost_usd), cost)
    assert.ok(total.latency_ms.p50 <= total.latency_ms.p95 && total.latency_ms.p95 <= total.latency_ms.p99)
    const { average, p50, p95, p99 } = total.gateway_ms
    assert.ok(average > 0 && 0 < p50 && p50 <= p95 && p95 <= p99, JSON.stringify(total.gateway_ms))
    const { start, group, name, is_rest: isRest, ...rest } = data[0]
    assert.deepEqual([start, group, name, isRest, rest], [null, null, null, false, total])
  })

  for (const [group, expected] of [
    [
      'model',
      [
        [null, 1],
        ['anthropic/claude-sim-echo', 2],
        ['openai/gpt-sim-503', 1],
        ['openai/gpt-sim-echo', 1],
        ['openai/gpt-unpriced-sim-echo', 1],
      ],
    ],
    [
      'route',
      [
        [null, 3],
        ['broken', 1],
        ['resilient', 2],
      ],
    ],
    [
      'provider',
      [
        [null, 1],
        ['anthropic', 2],
        ['openai', 3],
      ],
    ],
    [
      'code',
      [
        [null, 4],
        ['model_not_found', 1],
        ['provider_overloaded', 1],
      ],
    ],
  ] as const) {
    test(`by ${group}`, async () => {
      const { data, total } = await usage(`?group_by=${group}`)
      assert.deepEqual(
        data.map((row: Json) => [row.group, row.requests]),
        expected,
      )
      assert.equal(total.requests, 6)
    })
  }

  test('by key, with its name', async () => {
    const { data } = await usage('?group_by=key')
    assert.deepEqual(
      data.map((row: Json) => [row.name, row.requests]),
      [['GATEWAY_KEY', 6]],
    )
    assert.equal((await usage(`?key=${data[0].group}`)).total.requests, 6)
    assert.equal((await usage('?key=another')).total.requests, 0)
  })

  test('filters narrow them', async () => {
    assert.equal((await usage('?route=resilient')).total.requests, 2)
    assert.equal((await usage('?route=')).total.requests, 3)
    assert.equal((await usage('?provider=openai&model=gpt-sim-echo')).total.requests, 1)
  })

  test('another workspace has its own', async () => {
    const { data, total } = await usage('?workspace=nobody')
    assert.deepEqual([data, total.requests, total.cost_usd, total.latency_ms.p50], [[], 0, '0', null])
  })
})

describe('time', () => {
  before(async () => {
    const uses = { audio_input: 61_200, 'image:1024x1024:any': 2 }
    const at = (time: string) => ({ workspace: 'timed', startedAt: Date.parse(time), costPicodollars: '3', uses })
    const times = ['2026-03-01T00:00:00Z', '2026-03-01T23:59:59.999Z', '2026-03-02T00:00:00Z', '2026-03-02T10:30:00Z']
    for (const [index, time] of times.entries()) {
      await harness.gateway.store.requestLog.close(closeRecord(`timed-${index}`, at(time)))
    }
  })

  const starts = async (query: string) =>
    (await usage(`?workspace=timed&${query}`)).data.map((row: Json) => [row.start, row.requests])

  test('by the day', async () => {
    assert.deepEqual(await starts('from=2026-03-01&to=2026-03-03&interval=day'), [
      ['2026-03-01T00:00:00.000Z', 2],
      ['2026-03-02T00:00:00.000Z', 2],
    ])
  })

  test('what is not counted in tokens is summed with the calls, also over all workspaces', async () => {
    const of = (times: number) => ({ audio_input: times * 61_200, 'image:1024x1024:any': times * 2 })
    const { data, total } = await usage('?workspace=timed&from=2026-03-01&to=2026-03-03&interval=day')
    assert.deepEqual(
      data.map((row: Json) => row.uses),
      [of(2), of(2)],
    )
    assert.deepEqual(total.uses, of(4))
    const all = (await manage('GET', '/usage/workspaces?from=2026-03-01&to=2026-03-03')).json
    assert.deepEqual(
      all.data.map((row: Json) => [row.group, row.uses]),
      [['timed', of(4)]],
    )
  })

  test('by the hour', async () => {
    assert.deepEqual(await starts('from=2026-03-01&to=2026-03-03&interval=hour'), [
      ['2026-03-01T00:00:00.000Z', 1],
      ['2026-03-01T23:00:00.000Z', 1],
      ['2026-03-02T00:00:00.000Z', 1],
      ['2026-03-02T10:00:00.000Z', 1],
    ])
  })

  test('by the minute', async () => {
    assert.deepEqual(await starts('from=2026-03-01T22:00:00Z&to=2026-03-02T01:00:00Z&interval=minute'), [
      ['2026-03-01T23:59:00.000Z', 1],
      ['2026-03-02T00:00:00.000Z', 1],
    ])
  })

  test('a range that cuts hours is exact to the millisecond', async () => {
    const range = 'from=2026-03-01T00:00:00.001Z&to=2026-03-02T10:30:00Z&interval=day'
    assert.deepEqual(await starts(range), [
      ['2026-03-01T00:00:00.000Z', 1],
      ['2026-03-02T00:00:00.000Z', 1],
    ])
    assert.deepEqual(await starts('from=2026-03-02T10:30:00Z&to=2026-03-02T10:30:00.001Z&interval=hour'), [
      ['2026-03-02T10:00:00.000Z', 1],
    ])
  })

  for (const [query, named] of [
    ['from=2026-03-02&to=2026-03-02', 'from'],
    ['from=2026-01-01&to=2026-12-01&interval=hour', '93 days'],
    ['from=2026-03-01T00:00:00Z&to=2026-03-01T03:00:01Z&interval=minute', 'at most 3 hours'],
    ['interval=week', 'interval'],
    ['group_by=colour', 'group_by'],
    ['from=soon', 'from'],
    ['to=1900-01-01&from=2026-01-01', 'from'],
    ['limit=5', 'limit'],
  ] as const) {
    test(`${query} is refused, naming ${named}`, async () => {
      const { status, json } = await manage('GET', `/usage?${query}`)
      assert.deepEqual([status, json.error.code], [400, 'invalid_request'])
      assert.ok(json.error.message.includes(named), json.error.message)
    })
  }
})

test('prices changed mid-traffic: tokens × frozen price of every row add up to the sum of the frozen costs', async () => {
  const model = 'gpt-changing-sim-echo'
  const setPrice = (input: number) =>
    manage('PUT', `/registry/openai/${model}`, { input_per_mtok: `${input}.000001`, output_per_mtok: `${input}.5` })
  assert.ok((await setPrice(1)).status < 300)
  const calling = Array.from({ length: 4 }, async () => {
    for (let call = 0; call < 10; call++) assert.equal((await harness.chat(hello(model))).status, 200)
  })
  for (let price = 2; price < 8; price++) assert.equal((await setPrice(price)).status, 200)
  await Promise.all(calling)
  await setPrice(9)
  await harness.chat(hello(model))

  const { data } = (await manage('GET', `/requests?model=${model}`)).json
  assert.equal(data.length, 41)
  let sum = 0n
  for (const { id, cost_usd } of data) {
    const { cost } = (await manage('GET', `/requests/${id}/explain`)).json
    assert.equal(cost.total_usd, cost_usd)
    sum += cost.lines.reduce((all: bigint, line: Json) => all + picodollarsOfUsd(line.amount_usd), 0n)
  }
  assert.equal(picodollarsOfUsd((await usage(`?model=${model}`)).total.cost_usd), sum)
  assert.ok(new Set(data.map((request: Json) => request.price_version)).size >= 2)
})
