import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { compilePrice, costOf, parsePrices } from '../../../src/domain/pricing/price.ts'
import { NO_USAGE } from '../../../src/domain/pricing/usage.ts'
import { newestPriceVersion } from '../../../src/store/control/registry.ts'
import { ADMIN_KEY, type Harness, type Json, startHarness } from '../../harness.ts'
import { closeRecord } from '../../test-store.ts'
import { auditOf, managing } from '../manage.ts'

/** Two keys of one vendor, each a provider of its own; the report names both, and a third that is not the gateway's. */
const PRICES = 'model: m1, input_per_mtok: "2.5", output_per_mtok: "15"'
const CONFIG = `
providers:
  second: { family: openai, base_url: http://127.0.0.1:9/v1 }
registry:
  - { provider: openai, ${PRICES} }
  - { provider: second, ${PRICES} }
`
const DAY_MS = 86_400_000
const DAY = Date.parse('2026-05-04T00:00:00Z')
const USAGE = { ...NO_USAGE, input: 10_000, output: 1_000 }

let harness: Harness
const manage = managing(() => harness)

/** 0.04 USD each: two calls with the first key on 4 May, one with the second on each of two days. */
before(async () => {
  harness = await startHarness({ config: CONFIG })
  const { db, requestLog } = harness.gateway.store
  for (const [index, [provider, day]] of [
    ['openai', 0] as const,
    ['openai', 0] as const,
    ['second', 0] as const,
    ['second', 1] as const,
  ].entries()) {
    const version = await newestPriceVersion(db, provider, 'm1')
    const costPicodollars = String(costOf(USAGE, compilePrice(parsePrices(version?.prices ?? ''))))
    const startedAt = DAY + day * DAY_MS + index * 3_600_000
    const served = { provider, model: 'm1', usage: USAGE, priceVersion: version?.id ?? 0, costPicodollars }
    await requestLog.close(closeRecord(`call-${index}`, { startedAt, finishedAt: startedAt + 10, ...served }))
  }
})
after(() => harness.stop())
beforeEach(async () => {
  for (const { id } of (await manage('GET', '/reports')).json.data) await manage('DELETE', `/reports/${id}`)
  for (const { provider, account } of (await manage('GET', '/report-accounts')).json.data) {
    await give(account, null, provider)
  }
})

const give = (account: string, owner: string | null, provider = 'openai') =>
  manage('PUT', '/report-accounts', { provider, account, owner })
const HEADER = 'date,time_zone,model,account,class,quantity,unit,amount,currency,requests'
/** What the vendor bills for calls like ours. */
function calls(account: string, count: number, date = '2026-05-04'): string[] {
  const line = (name: string, quantity: number, amount: number, requests: number | '') =>
    `${date},UTC,m1,${account},${name},${quantity * count},tokens,${(amount * count).toFixed(6)},USD,${requests}`
  return [line('input', 10_000, 0.025, count), line('output', 1_000, 0.015, '')]
}
const send = (lines: string[], provider = 'openai') =>
  manage('POST', '/reports', { source: 'csv', provider, text: [HEADER, ...lines, ''].join('\n') })
const REPORT = [...calls('key_a', 2), ...calls('key_b', 1), ...calls('key_b', 1, '2026-05-05'), ...calls('key_x', 5)]

async function imported(lines: string[]): Promise<void> {
  const answer = await send(lines)
  assert.equal(answer.status, 200, answer.text)
}
async function compared(query = ''): Promise<Json> {
  const { status, json, text } = await manage('GET', `/reconciliation?month=2026-05${query}`)
  assert.equal(status, 200, text)
  return json
}
/** By provider: ours, theirs, and the causes with their amounts. */
const told = ({ data }: Json) =>
  Object.fromEntries(
    data.map((each: Json) => [
      each.provider,
      [each.ours_usd, each.theirs_usd, ...each.causes.map(({ cause, amount_usd: usd }: Json) => `${cause} ${usd}`)],
    ]),
  )

describe('two keys of one vendor', () => {
  test('without owners every line is of the provider that the report was imported for', async () => {
    await imported(REPORT)
    const reply = await compared()
    assert.deepEqual(told(reply), { openai: ['0.08', '0.36', 'foreign 0.28'] })
    assert.deepEqual([reply.foreign_accounts, reply.data[0].accounts], [[], ['key_a', 'key_b', 'key_x']])
  })

  test('with owners each is matched with its own lines, and a foreign key is in neither', async () => {
    await imported(REPORT)
    await give('key_a', 'openai')
    assert.equal((await give('key_b', 'second')).status, 200)
    const reply = await compared()
    assert.deepEqual(told(reply), { openai: ['0.08', '0.08'], second: ['0.08', '0.08'] })
    assert.deepEqual(
      reply.data.map((each: Json) => [each.provider, each.accounts, each.unexplained_usd]),
      [
        ['openai', ['key_a'], '0'],
        ['second', ['key_b'], '0'],
      ],
    )
    assert.deepEqual(reply.foreign_accounts, [
      {
        ...{ provider: 'openai', account: 'key_x', amount_usd: '0.2', tokens: 55_000, requests: 5 },
        ...{ models: ['m1'], days: 1 },
      },
    ])
    assert.deepEqual(told(await compared('&provider=second')), { second: ['0.08', '0.08'] })
    assert.equal((await auditOf(manage, 'report-accounts/openai/key_b')).length > 0, true)
  })

  test('a foreign call on the second key is named there, and not on the first', async () => {
    await imported([...REPORT.slice(0, 2), ...calls('key_b', 2), ...REPORT.slice(4)])
    await give('key_a', 'openai')
    await give('key_b', 'second')
    assert.deepEqual(told(await compared()), { openai: ['0.08', '0.08'], second: ['0.08', '0.12', 'foreign 0.04'] })
  })

  test('a key that the report does not name on a day was not billed that day', async () => {
    await imported([...calls('key_a', 2), ...calls('key_a', 1, '2026-05-05'), ...calls('key_b', 1)])
    await give('key_a', 'openai')
    await give('key_b', 'second')
    assert.deepEqual(told(await compared()), {
      openai: ['0.08', '0.12', 'foreign 0.04'],
      second: ['0.08', '0.04', 'not_billed -0.04'],
    })
  })

  test('where the report names none of the keys, nothing of ours was billed', async () => {
    await imported(calls('key_x', 5))
    await give('key_a', 'openai')
    const reply = await compared()
    assert.deepEqual(told(reply), { openai: ['0.08', '0', 'not_billed -0.08'] })
    assert.equal(reply.foreign_accounts[0].amount_usd, '0.2')
  })

  test('a line without a key stays with the provider that the report was imported for', async () => {
    await imported([...REPORT, '2026-05-04,UTC,,,credit,,,-1.00,USD,'])
    await give('key_a', 'openai')
    await give('key_b', 'second')
    assert.deepEqual(told(await compared())['openai'], ['0.08', '-0.92', 'charges -1'])
  })

  test('the comparison is a CSV with the keys, and the books of the month have the foreign one', async () => {
    await imported(REPORT)
    await give('key_a', 'openai')
    await give('key_b', 'second')
    const headers = { authorization: `Bearer ${ADMIN_KEY}` }
    const csv = await fetch(`${harness.url}/reconciliation/export?month=2026-05`, { headers })
    assert.deepEqual((await csv.text()).split('\r\n').slice(1), [
      '"2026-05-04","openai","key_a","m1",0.08,0.08,0,0,0,0,',
      '"2026-05-04","second","key_b","m1",0.04,0.04,0,0,0,0,',
      '"2026-05-05","second","key_b","m1",0.04,0.04,0,0,0,0,',
      '"2026-05","openai","key_x","m1",,0.2,,,,,"not this gateway\'s key"',
      '',
    ])
    const { json } = await manage('GET', '/months/2026-05')
    assert.deepEqual(json.foreign_accounts, [{ provider: 'openai', account: 'key_x', theirs_usd: '0.2' }])
    assert.deepEqual(
      json.differences.map((each: Json) => [each.provider, each.theirs_usd]),
      [
        ['openai', '0.08'],
        ['second', '0.08'],
      ],
    )
  })
})

describe('nothing counts twice', () => {
  test('a report for the owner is refused while its key is taken from reports of another provider', async () => {
    await imported(REPORT)
    await give('key_b', 'second')
    const refused = await send(calls('key_b', 1), 'second')
    assert.equal(refused.status, 409)
    assert.match(refused.json.error.message, /key_b: its lines are taken from reports of openai/)
    assert.equal((await send(calls('key_c', 1), 'second')).status, 200)
  })

  test('a key cannot be given to a provider whose own reports have it', async () => {
    await imported(REPORT)
    assert.equal((await send(calls('key_b', 1), 'second')).status, 200)
    const refused = await give('key_b', 'second')
    assert.equal(refused.status, 409)
    assert.match(refused.json.error.message, /would count twice/)
  })

  test('an owner that does not exist is refused', async () => {
    const refused = await give('key_b', 'nowhere')
    assert.deepEqual([refused.status, refused.json.error.code], [400, 'invalid_request'])
  })
})
