import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { NO_USAGE, type TokenUsage, withOutput } from '../../src/domain/pricing/usage.ts'
import { newestPriceVersion } from '../../src/store/control/registry.ts'
import { type Harness, type Json, startHarness } from '../harness.ts'
import { closeRecord } from '../test-store.ts'
import { managing } from './manage.ts'

const CONFIG = `
providers:
  elsewhere: { family: openai, base_url: "http://127.0.0.1:9/v1", api_key: none }
registry:
  - { provider: openai, model: dear, input_per_mtok: "10", cached_input_per_mtok: "1", output_per_mtok: "20" }
  - { provider: elsewhere, model: cheap, input_per_mtok: "2", cached_input_per_mtok: "2", output_per_mtok: "4" }
workspaces:
  default:
    routes:
      fast: { chain: [{ provider: openai, model: dear }, { provider: elsewhere, model: cheap }] }
`
const START = Date.parse('2026-05-01T00:00:00Z')
const DAY = 86_400_000

/**
 * At 10, 1 (cached) and 20 USD per million tokens, in micro-USD: 20 calls of 1,000 + 0 + 10 and one of 600 + 400 + 510.
 * 20 × (10,000 + 200) + (6,000 + 400 + 10,200) = 204,000 + 16,600 = 220,600.
 */
const calls: { day: number; usage: TokenUsage; streamed: boolean }[] = [
  ...Array.from({ length: 20 }, (_, index) => ({ day: index % 3, usage: usageOf(1_000, 0, 10), streamed: index >= 4 })),
  { day: 4, usage: usageOf(600, 400, 510), streamed: true },
]

function usageOf(input: number, cachedInput: number, output: number): TokenUsage {
  return withOutput({ ...NO_USAGE, input, cachedInput }, output)
}

let harness: Harness
before(async () => {
  harness = await startHarness({ config: CONFIG, environment: { OPENAI_BASE_URL: 'https://api.openai.com/v1' } })
  const { db, requestLog } = harness.gateway.store
  const version = await newestPriceVersion(db, 'openai', 'dear')
  assert.ok(version)
  const served = { provider: 'openai', model: 'dear', route: 'fast', priceVersion: version.id }
  for (const [index, { day, usage, streamed }] of calls.entries()) {
    const micro = BigInt(usage.input * 10 + usage.cachedInput + usage.output * 20)
    const costPicodollars = String(micro * 1_000_000n)
    const startedAt = START + day * DAY + index
    await requestLog.close(closeRecord(`call-${index}`, { ...served, startedAt, usage, streamed, costPicodollars }))
  }
  const unpriced = { ...served, startedAt: START, usage: usageOf(5, 0, 5), costPicodollars: null, priceVersion: null }
  await requestLog.close(closeRecord('unpriced', unpriced))
  const withTools = { ...served, startedAt: START, usage: usageOf(5, 0, 5), uses: { web_search: 1 } }
  await requestLog.close(closeRecord('with-tools', { ...withTools, costPicodollars: '10000150000000' }))
})
after(() => harness.stop())

const manage = managing(() => harness)
const RANGE = 'from=2026-05-01&to=2026-05-10'
const advice = async (query = '') => (await manage('GET', `/usage/advice?${RANGE}${query}`)).json
const only = (json: Json, kind: string) => json.data.find((each: Json) => each.kind === kind)

describe('advice in money', () => {
  test('says what was compared, and what was not', async () => {
    const { requests, paid_usd, left_out } = await advice()
    assert.deepEqual({ requests, paid_usd, left_out }, { requests: 21, paid_usd: '0.2206', left_out: 2 })
  })

  const table: [kind: string, bound: string, requests: number, saved: string, sentence: RegExp][] = [
    // 400 tokens × (10 − 1).
    ['cache_used', 'exact', 21, '0.0036', /^Cached prompts have saved 0\.0036 USD: .* would have cost 0\.2242 USD\.$/],
    // 20,600 tokens that were not cached × (10 − 1).
    ['cache', 'at_most', 21, '0.1854', /This is the most/],
    // 95 of 100 answers have 10 tokens: 500 of the longest are cut, × 20.
    [
      'output_limit',
      'exact',
      1,
      '0.01',
      /^A limit of 10 output tokens would have cut 1 of 21 answers and saved 0\.01 USD\.$/,
    ],
    // 2 for 21,000 tokens of prompt and 4 for 710 of answers is 44,840 of 220,600.
    ['cheaper_model', 'same_tokens', 21, '0.17576', /^elsewhere\/cheap is part of the route "fast"\./],
    // Half of the four calls without a stream.
    ['batch', 'at_most', 4, '0.0204', /^4 calls asked for no stream\. As batches, at 50 % of the price,/],
  ]
  for (const [kind, bound, requests, saved, sentence] of table) {
    test(`${kind}: ${saved} USD, ${bound}`, async () => {
      const found = only(await advice(), kind)
      assert.deepEqual([found.bound, found.requests, found.saved_usd], [bound, requests, saved])
      assert.match(found.sentence, sentence)
    })
  }

  test('the largest saving comes first, and a route is named where it is about one', async () => {
    const { data } = await advice('&route=fast')
    assert.deepEqual(
      data.map((each: Json) => each.kind),
      ['cache', 'cheaper_model', 'batch', 'output_limit', 'cache_used'],
    )
    assert.deepEqual([data[1].route, data[1].model], ['fast', 'elsewhere/cheap'])
  })

  test('another limit can be tried', async () => {
    const found = only(await advice('&max_output_tokens=500'), 'output_limit')
    assert.deepEqual([found.max_output_tokens, found.saved_usd], [500, '0.0002'])
    assert.equal(only(await advice('&max_output_tokens=510'), 'output_limit'), undefined)
  })

  test('of a key without calls there is nothing to say', async () => {
    const { requests, paid_usd, data } = await advice('&key=nobody')
    assert.deepEqual({ requests, paid_usd, data }, { requests: 0, paid_usd: '0', data: [] })
  })

  test('a range of more than 31 days is refused by name', async () => {
    const { status, json } = await manage('GET', '/usage/advice?from=2026-01-01&to=2026-05-10')
    assert.equal(status, 400)
    assert.match(json.error.message, /^from: at most 31 days before to/)
  })
})

test('a call with tools of the provider is in neither sum of what-if', async () => {
  const { json } = await manage('GET', `/usage/what-if?model=elsewhere/cheap&${RANGE}`)
  assert.equal(json.total.requests, 21)
  assert.equal(json.total.what_if_usd, '0.04484')
})
