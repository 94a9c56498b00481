import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { compilePrice, costOf, exactUsd, type PriceList } from '../../src/domain/pricing/price.ts'
import { NO_USAGE } from '../../src/domain/pricing/usage.ts'
import { addPriceVersion, newestPriceVersion } from '../../src/store/control/registry.ts'
import { type Harness, startHarness } from '../harness.ts'
import { closeRecord } from '../test-store.ts'
import { managing } from './manage.ts'

const CONFIG = `
registry:
  - { provider: openai, model: paid-one, input_per_mtok: "1", output_per_mtok: "2" }
  - provider: openai
    model: by-the-minute
    mode: audio_transcription
    unit_prices: [{ name: audio_input, unit: audio_minute, usd_per_1000: "6" }]
  - provider: openai
    model: tiered
    aliases: [tiered-by-another-name]
    input_per_mtok: "0.123457"
    output_per_mtok: "3"
    tiers: [{ prompt_tokens_above: 1000, input_per_mtok: "0.5", output_per_mtok: "6" }]
`
const DAY = 86_400_000
const START = Date.parse('2026-05-01T00:00:00Z')

const calls = [
  { startedAt: START + 1, input: 1_000, output: 10, percent: 100, cost: '1020000000' },
  { startedAt: START + 2, input: 1_001, output: 10, percent: 110, cost: '1123100000' },
  { startedAt: START + DAY, input: 33, output: 1, percent: 110, cost: '38500000' },
]

let harness: Harness
let tiered: PriceList
before(async () => {
  harness = await startHarness({ config: CONFIG })
  const { db, requestLog } = harness.gateway.store
  tiered = JSON.parse((await newestPriceVersion(db, 'openai', 'tiered'))?.prices ?? '')
  for (const [index, call] of calls.entries()) {
    await requestLog.close(
      closeRecord(`call-${index}`, {
        startedAt: call.startedAt,
        provider: 'openai',
        model: 'paid-one',
        usage: usageOf(call),
        costPicodollars: call.cost,
      }),
    )
  }
  const unpriced = { startedAt: START + 5, provider: 'openai', model: 'unknown', usage: usageOf(calls[0]!) }
  await requestLog.close(closeRecord('unpriced', { ...unpriced, costPicodollars: null, priceVersion: null }))
  await requestLog.close(closeRecord('failed', { startedAt: START + 6, status: 503, code: 'upstream_error' }))
})
after(() => harness.stop())

function usageOf(call: { input: number; output: number; percent: number }) {
  return { ...NO_USAGE, input: call.input, output: call.output, pricePercent: call.percent }
}

const manage = managing(() => harness)
const whatIf = (query: string) => manage('GET', `/usage/what-if?${query}`)
const RANGE = 'from=2026-05-01&to=2026-05-03'

describe('another model', () => {
  test('prices each call by its own prompt and percentage, per day and in total', async () => {
    const { status, json } = await whatIf(`model=openai/tiered&${RANGE}`)
    assert.equal(status, 200)
    const price = compilePrice(tiered)
    const costs = calls.map((call) => costOf(usageOf(call), price) ?? 0n)
    const usd = (...amounts: bigint[]) => exactUsd(amounts.reduce((sum, amount) => sum + amount, 0n) as never)
    assert.deepEqual(json.data, [
      { day: '2026-05-01', requests: 2, paid_usd: '0.0021431', what_if_usd: usd(costs[0]!, costs[1]!) },
      { day: '2026-05-02', requests: 1, paid_usd: '0.0000385', what_if_usd: usd(costs[2]!) },
    ])
    const total = costs.reduce<bigint>((sum, cost) => sum + cost, 0n)
    assert.deepEqual(json.total, {
      requests: 3,
      paid_usd: '0.0021816',
      what_if_usd: usd(total),
      difference_usd: `-${exactUsd((2_181_600_000n - total) as never)}`,
    })
  })

  test('counts and names the calls that are in neither sum', async () => {
    const { json } = await whatIf(`model=openai/tiered&${RANGE}`)
    assert.deepEqual(json.unpriced, [
      { provider: 'openai', model: 'unknown', requests: 1, missing: 'paid', unit: null },
    ])
  })

  test('audio and images are priced by the units of the other model; one without a price is named', async () => {
    const call = { startedAt: START + 3 * DAY, provider: 'openai', model: 'heard', costPicodollars: '7' }
    const usage = { ...NO_USAGE, input: 10 }
    const { requestLog } = harness.gateway.store
    const log = (id: string, uses: Record<string, number>) =>
      requestLog.close(closeRecord(id, { ...call, usage, uses }))
    await log('heard-1', { audio_input: 30_000 })
    await log('heard-2', { audio_input: 90_000 })
    await log('drawn', { web_search: 1 })
    const { json } = await whatIf('model=openai/by-the-minute&from=2026-05-04&to=2026-05-05')
    assert.deepEqual(json.total, {
      ...{ requests: 2, paid_usd: '0.000000000014' },
      ...{ what_if_usd: '0.012', difference_usd: '0.011999999986' },
    })
    const missing = { provider: 'openai', model: 'heard', requests: 1, missing: 'what_if', unit: 'web_search' }
    assert.deepEqual(json.unpriced, [missing])
  })

  test('may be named by a listed alias', async () => {
    const [own, alias] = [
      await whatIf(`model=openai/tiered&${RANGE}`),
      await whatIf(`model=openai/tiered-by-another-name&${RANGE}`),
    ]
    assert.deepEqual(alias.json.total, own.json.total)
    assert.equal(alias.json.price_version, own.json.price_version)
  })

  test('without a known price answers 404 naming it', async () => {
    const { status, json } = await whatIf(`model=openai/nothing&${RANGE}`)
    assert.deepEqual([status, json.error.code], [404, 'not_found'])
    assert.match(json.error.message, /openai\/nothing/)
  })

  test('a range cuts calls to the millisecond', async () => {
    const { json } = await whatIf('model=openai/tiered&from=2026-05-01T00:00:00.002Z&to=2026-05-02')
    assert.equal(json.total.requests, 1)
  })
})

describe('another date', () => {
  test('prices each call at its own model as of then; a model that had no price then is named', async () => {
    const { db } = harness.gateway.store
    const prices = { ...tiered, tiers: [], input_per_mtok: '10', output_per_mtok: '0' }
    const at = Date.now() + 1_000
    await addPriceVersion(db, { provider: 'openai', model: 'paid-one', prices, source: 'test' }, at)
    const after = (await whatIf(`prices_at=${new Date(at).toISOString()}&${RANGE}`)).json
    assert.deepEqual([after.total.what_if_usd, after.model, after.price_version], ['0.021374', null, null])
    assert.deepEqual(after.unpriced, [
      { provider: 'openai', model: 'unknown', requests: 1, missing: 'what_if', unit: null },
    ])
    const then = (await whatIf(`prices_at=${new Date(at - 1).toISOString()}&${RANGE}`)).json
    assert.equal(then.total.difference_usd, '0')
    const long = (await whatIf(`prices_at=2020-01-01&${RANGE}`)).json
    assert.deepEqual([long.total.requests, long.unpriced.length], [0, 2])
  })

  test('a model together with a date takes its price of then', async () => {
    const { status, json } = await whatIf(`model=openai/tiered&prices_at=2020-01-01&${RANGE}`)
    assert.equal(status, 404)
    assert.match(json.error.message, /2020-01-01/)
  })
})

for (const [query, named] of [
  ['', 'model'],
  ['model=tiered', 'model'],
  ['model=openai/tiered&from=2026-01-01&to=2026-12-01', '93 days'],
  ['model=openai/tiered&prices_at=once', 'prices_at'],
  ['model=openai/tiered&interval=day', 'interval'],
] as const) {
  test(`${query || 'nothing'} is refused, naming ${named}`, async () => {
    const { status, json } = await whatIf(query)
    assert.deepEqual([status, json.error.code], [400, 'invalid_request'])
    assert.ok(json.error.message.includes(named), json.error.message)
  })
}
