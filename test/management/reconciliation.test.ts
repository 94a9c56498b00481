import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { compilePrice, costOf, parsePrices } from '../../src/domain/pricing/price.ts'
import { NO_USAGE } from '../../src/domain/pricing/usage.ts'
import { newestPriceVersion } from '../../src/store/control/registry.ts'
import { type Harness, type Json, startHarness } from '../harness.ts'
import { closeRecord } from '../test-store.ts'
import { auditOf, managing } from './manage.ts'

const CONFIG = `
registry:
  - { provider: openai, model: m1, input_per_mtok: "2.5", cached_input_per_mtok: "0.25", output_per_mtok: "15" }
`
const DAY = Date.parse('2026-05-04T00:00:00Z')
const HEADER = 'date,time_zone,model,account,class,quantity,unit,amount,currency,tier,requests'
const CALLS = 4
const USAGE = { ...NO_USAGE, input: 10_000, output: 1_000 }

let harness: Harness
const manage = managing(() => harness)
before(async () => {
  harness = await startHarness({ config: CONFIG })
  const { db, requestLog } = harness.gateway.store
  const version = await newestPriceVersion(db, 'openai', 'm1')
  const costPicodollars = String(costOf(USAGE, compilePrice(parsePrices(version?.prices ?? ''))))
  for (let index = 0; index < CALLS; index++) {
    const startedAt = DAY + index * 3_600_000
    const served = { provider: 'openai', model: 'm1', usage: USAGE, priceVersion: version?.id ?? 0, costPicodollars }
    await requestLog.close(closeRecord(`call-${index}`, { startedAt, finishedAt: startedAt + 10, ...served }))
  }
})
after(() => harness.stop())

const line = (name: string, quantity: number | '', amount: string, more: { model?: string; requests?: number } = {}) =>
  `2026-05-04,UTC,${more.model ?? 'm1'},project,${name},${quantity},tokens,${amount},USD,,${more.requests ?? ''}`
const csv = (...lines: string[]) => [HEADER, ...lines, ''].join('\n')
const EQUAL = csv(line('input', 40_000, '0.100000', { requests: 4 }), line('output', 4_000, '0.060000'))
const send = (text: string, more: object = {}) =>
  manage('POST', '/reports', { source: 'csv', provider: 'openai', text, ...more })
const compared = async () => (await manage('GET', '/reconciliation?month=2026-05')).json
const causes = (reply: Json) => reply.data[0].causes.map((each: Json) => [each.cause, each.amount_usd])
/** Imports the text alone. */
async function only(text: string) {
  for (const { id } of (await manage('GET', '/reports')).json.data) await manage('DELETE', `/reports/${id}`)
  const answer = await send(text)
  assert.equal(answer.status, 200, answer.text)
  return compared()
}

describe('a report against the log', () => {
  test('equal books have no difference', async () => {
    const reply = await only(EQUAL)
    const [{ provider, ours_usd, theirs_usd, difference_usd, unexplained_usd, periods }] = reply.data
    assert.deepEqual(
      [provider, ours_usd, theirs_usd, difference_usd, unexplained_usd],
      ['openai', '0.16', '0.16', '0', '0'],
    )
    assert.deepEqual(causes(reply), [])
    assert.deepEqual(
      periods.map((each: Json) => [each.period, each.ours_usd]),
      [['2026-05-04', '0.16']],
    )
  })

  test('foreign calls, a tool and a credit each have their sentence', async () => {
    const reply = await only(
      csv(
        line('input', 50_000, '0.125000', { requests: 6 }),
        line('output', 4_000, '0.060000'),
        line('tool:web_search', 12, '0.12', { model: '' }),
        line('credit', '', '-5.00', { model: '' }),
      ),
    )
    assert.deepEqual(causes(reply), [
      ['charges', '-5'],
      ['tools', '0.12'],
      ['foreign', '0.025'],
    ])
    const [first] = reply.data
    assert.deepEqual(
      [first.difference_usd, first.quantity_usd, first.price_usd, first.unexplained_usd],
      ['-4.855', '0.025', '0', '0'],
    )
    assert.match(first.causes[2].sentence, /another program uses the key \(2 requests\)/)
  })

  test('a name with a date is proposed; mapped it is compared, and the mapping can be taken back', async () => {
    const model = 'm1-2026-05-01'
    const reply = await only(csv(line('input', 40_000, '0.1', { model }), line('output', 4_000, '0.06', { model })))
    assert.deepEqual(reply.proposals, [{ provider: 'openai', name: model, model: 'm1' }])
    const map = (to: string | null) =>
      manage('PUT', '/report-models', { provider: 'openai', report_name: model, model: to })
    assert.equal((await map('m1')).status, 200)
    const mapped = await compared()
    assert.deepEqual([mapped.proposals, causes(mapped), mapped.data[0].difference_usd], [[], [], '0'])
    assert.deepEqual((await map(null)).json.data, [])
    assert.equal((await compared()).proposals.length, 1)
    assert.equal((await auditOf(manage, `report-models/openai/${model}`)).length, 2)
  })

  test('a deleted row is missing, never foreign', async () => {
    const { db } = harness.gateway.store
    const row = await db.selectFrom('requests').selectAll().where('id', '=', 'call-2').executeTakeFirstOrThrow()
    await db.deleteFrom('requests').where('id', '=', 'call-2').execute()
    const reply = await only(EQUAL)
    assert.deepEqual(causes(reply), [['missing_rows', '0.04']])
    assert.match(reply.data[0].causes[0].sentence, /^1 row missing from the request log, between 2026-05-04 02:00Z/)
    await db.insertInto('requests').values(row).execute()
  })
})

describe('importing', () => {
  test('the same file twice changes nothing; another amount is refused with both, and replaces if asked', async () => {
    await only(EQUAL)
    const again = await send(EQUAL)
    assert.deepEqual([again.status, again.json.added, again.json.unchanged], [200, 0, 2])
    const changed = EQUAL.replace('0.060000', '0.070000')
    const refused = await send(changed)
    assert.equal(refused.status, 409)
    assert.match(
      refused.json.error.message,
      /2026-05-04 project m1 output: 0\.06 USD stored \(csv\), 0\.07 USD in this file/,
    )
    const { json } = await send(changed, { replace: true })
    assert.deepEqual([json.added, json.unchanged, json.replaced], [1, 1, 1])
    assert.equal((await compared()).data[0].theirs_usd, '0.17')
    assert.deepEqual((await auditOf(manage, `reports/${json.import.id}`))[0].after.replaced, 1)
  })

  const refused: [name: string, body: object, problem: RegExp][] = [
    ['an unknown source', { source: 'xls', text: EQUAL }, /source: is one of csv, /],
    ['an unknown provider', { provider: 'nowhere', text: EQUAL }, /provider: there is no provider 'nowhere'/],
    ['a line that cannot be read', { text: EQUAL.replace('0.060000', '"0,06"') }, /line 3, amount: "0,06"/],
    ['no line of the account', { text: EQUAL, accounts: ['other'] }, /no lines of models for these accounts/],
  ]
  for (const [name, body, problem] of refused) {
    test(`refused: ${name}`, async () => {
      const answer = await manage('POST', '/reports', { source: 'csv', provider: 'openai', ...body })
      assert.equal(answer.status, 400)
      assert.match(answer.json.error.message, problem)
    })
  }
})
