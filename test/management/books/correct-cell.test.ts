import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { compilePrice, costOf, parsePrices } from '../../../src/domain/pricing/price.ts'
import { NO_USAGE } from '../../../src/domain/pricing/usage.ts'
import { newestPriceVersion } from '../../../src/store/control/registry.ts'
import { type Harness, type Json, startHarness } from '../../harness.ts'
import { closeRecord } from '../../test-store.ts'
import { auditOf, managing } from '../manage.ts'

const CONFIG = `
registry:
  - { provider: openai, model: m1, input_per_mtok: "2.5", output_per_mtok: "15" }
`
const HOUR = 3_600_000
const DAY = Date.parse('2026-05-04T00:00:00Z')
const USAGE = { ...NO_USAGE, input: 10_000, output: 1_000 }
const HEADER = 'date,time_zone,model,account,class,quantity,unit,amount,currency,tier,requests'
const OURS = [{ id: 'key-1', name: null, open_calls: 2 }]

/** Two answered calls and two that may have been billed; `more` input tokens beyond the answered ones. */
const reportOf = (more: number, requests: number) => {
  const usd = (((20_000 + more) * 25) / 10_000_000).toFixed(6)
  return [
    HEADER,
    `2026-05-04,UTC,m1,project,input,${20_000 + more},tokens,${usd},USD,,${requests}`,
    '2026-05-04,UTC,m1,project,output,2000,tokens,0.030000,USD,,',
    '',
  ].join('\n')
}

describe('unconfirmed calls are confirmed or released where their report is compared', () => {
  let harness: Harness
  let now = 0
  const manage = managing(() => harness)
  beforeEach(async () => {
    now = DAY + 72 * HOUR
    harness = await startHarness({ config: CONFIG, now: () => now })
    const { db, requestLog } = harness.gateway.store
    const version = await newestPriceVersion(db, 'openai', 'm1')
    const costPicodollars = String(costOf(USAGE, compilePrice(parsePrices(version?.prices ?? ''))))
    const served = { provider: 'openai', model: 'm1' }
    const at = (hour: number) => ({ startedAt: DAY + hour * HOUR, finishedAt: DAY + hour * HOUR + 10 })
    for (const hour of [1, 2]) {
      const priced = { usage: USAGE, priceVersion: version?.id ?? 0, costPicodollars }
      await requestLog.close(closeRecord(`answered-${hour}`, { ...at(hour), ...served, ...priced }))
    }
    for (const [hour, most] of [
      [3, '30000000000'],
      [4, '60000000000'],
    ] as const) {
      const open = { unconfirmedMost: most, unconfirmedCounted: most, unconfirmedEstimate: '0' }
      const code = 'upstream_timeout' as const
      const nothing = { usage: null, costPicodollars: null, priceVersion: null, status: 504, code }
      await requestLog.close(closeRecord(`open-${hour}`, { ...at(hour), ...served, ...nothing, ...open }))
    }
  })
  afterEach(() => harness.stop())

  const importReport = async (text: string) => {
    const sent = await manage('POST', '/reports', { source: 'csv', provider: 'openai', text })
    assert.equal(sent.status, 200, sent.text)
  }
  const correct = (kind: string, more: object = {}) =>
    manage('POST', '/reconciliation/corrections', {
      ...{ kind, provider: 'openai', model: 'm1', period: '2026-05-04', reason: 'report of May', ...more },
    })
  const cell = async (): Promise<Json> => {
    const { json } = await manage('GET', '/reconciliation?month=2026-05')
    return json.data[0].cells.find(({ model }: Json) => model === 'm1')
  }

  test('confirmed: what the report bills, divided by their bounds, once, with who and why', async () => {
    await importReport(reportOf(10_000, 4))
    const before = await cell()
    assert.deepEqual(
      before.causes.map((each: Json) => [each.cause, each.amount_usd]),
      [['unconfirmed', '0.025']],
    )
    assert.deepEqual(before.unconfirmed, { open_calls: 2, open_most_usd: '0.09', billed_usd: '0.025', keys: OURS })
    const refused = await correct('released')
    assert.deepEqual([refused.status, refused.json.error.code], [409, 'conflict'])
    assert.match(refused.json.error.message, /the report bills 0\.025 USD for these calls/)

    const { status, json, text } = await correct('confirmed')
    assert.equal(status, 201, text)
    assert.deepEqual(
      json.data.map((each: Json) => [each.request_id, each.kind, each.cost_usd, each.counted_usd]),
      [
        ['open-3', 'confirmed', '0.008333333333', '-0.021666666667'],
        ['open-4', 'confirmed', '0.016666666667', '-0.043333333333'],
      ],
    )
    assert.deepEqual(
      [json.data[0].reason, json.data[0].actor, json.data[0].source],
      ['report of May', 'ADMIN_KEY', 'reconciliation of openai m1 2026-05-04'],
    )
    assert.equal((await auditOf(manage, 'corrections'))[0].action, 'corrections.confirmed')
    assert.equal((await cell()).unconfirmed, null)
    assert.equal((await correct('confirmed')).status, 409)
    assert.equal((await manage('GET', '/corrections')).json.data.length, 2)
  })

  test('what was confirmed by hand is left out, and never more than the bounds is confirmed', async () => {
    await importReport(reportOf(60_000, 4))
    const byHand = { kind: 'confirmed', request_ids: ['open-3'], usd: '0.02', reason: 'asked them' }
    assert.equal((await manage('POST', '/corrections', byHand)).status, 201)
    assert.equal((await cell()).unconfirmed.open_calls, 1)
    const { json } = await correct('confirmed')
    assert.deepEqual(
      json.data.map((each: Json) => [each.request_id, each.cost_usd]),
      [['open-4', '0.06']],
    )
  })

  test('released: where the report bills nothing for them', async () => {
    await importReport(reportOf(0, 2))
    assert.deepEqual((await cell()).unconfirmed, { open_calls: 2, open_most_usd: '0.09', billed_usd: '0', keys: OURS })
    assert.equal((await correct('confirmed')).status, 409)
    const { json } = await correct('released')
    assert.deepEqual(
      json.data.map((each: Json) => [each.request_id, each.cost_usd, each.counted_usd]),
      [
        ['open-3', '0', '-0.03'],
        ['open-4', '0', '-0.06'],
      ],
    )
  })

  test('of a whole month, and of one key: each by what its report says, and no other', async () => {
    const { requestLog } = harness.gateway.store
    for (const [id, keyId, hour] of [
      ['theirs', 'key-2', 5],
      ['quiet', 'key-2', 26],
    ] as const) {
      const at = { startedAt: DAY + hour * HOUR, finishedAt: DAY + hour * HOUR + 10 }
      const open = { unconfirmedMost: '10000000000', unconfirmedCounted: '10000000000', unconfirmedEstimate: '0' }
      const nothing = { usage: null, costPicodollars: null, priceVersion: null, status: 504, code: 'upstream_timeout' }
      const served = { provider: 'openai', model: 'm1', keyId }
      await requestLog.close(closeRecord(id, { ...at, ...served, ...nothing, ...open } as never))
    }
    const nextDay = '2026-05-05,UTC,m1,project,input,0,tokens,0.000000,USD,,0\n'
    await importReport(reportOf(10_000, 5) + nextDay)
    const { keys } = (await cell()).unconfirmed
    assert.deepEqual(
      keys.map((each: Json) => [each.id, each.open_calls]),
      [
        ['key-1', 2],
        ['key-2', 1],
      ],
    )
    const month = { model: undefined, period: '2026-05' }
    const ids = ({ status, json, text }: Awaited<ReturnType<typeof correct>>) => {
      assert.equal(status, 201, text)
      return json.data.map((each: Json) => [each.request_id, each.kind, each.cost_usd])
    }
    // 0.025 USD over bounds of 30, 60 and 10.
    assert.deepEqual(ids(await correct('confirmed', { ...month, key: 'key-2' })), [['theirs', 'confirmed', '0.0025']])
    assert.deepEqual(ids(await correct('released', { ...month, key: 'key-2' })), [['quiet', 'released', '0']])
    assert.equal((await correct('confirmed', { ...month, key: 'key-2' })).status, 409)
    assert.deepEqual(ids(await correct('confirmed', month)), [
      ['open-3', 'confirmed', '0.0075'],
      ['open-4', 'confirmed', '0.015'],
    ])
    assert.equal((await correct('released', month)).status, 409)
  })

  test('not before the report has settled, and not without one', async () => {
    now = DAY + 30 * HOUR
    await importReport(reportOf(10_000, 4))
    const early = await correct('confirmed')
    assert.deepEqual([early.status, /can still change; wait until 2026-05-06T00:00/.test(early.text)], [409, true])
    assert.equal((await correct('confirmed', { model: 'm2' })).status, 404)
    assert.equal((await correct('confirmed', { period: 'May the 4th' })).status, 400)
    assert.equal((await correct('confirmed', { reason: '' })).status, 400)
  })
})
