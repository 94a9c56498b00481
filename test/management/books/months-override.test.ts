import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { compilePrice, costOf, parsePrices } from '../../../src/domain/pricing/price.ts'
import { NO_USAGE } from '../../../src/domain/pricing/usage.ts'
import { newestPriceVersion } from '../../../src/store/control/registry.ts'
import { ADMIN_KEY, type Harness, type Json, startHarness } from '../../harness.ts'
import { closeRecord } from '../../test-store.ts'
import { auditOf, managing } from '../manage.ts'

const CONFIG = `
registry:
  - { provider: openai, model: m1, input_per_mtok: "2.5", output_per_mtok: "15" }
`
const USAGE = { ...NO_USAGE, input: 10_000, output: 1_000 }
/** Of one call: 0.025 + 0.015. */
const TOTAL = '0.08'

let harness: Harness
const manage = managing(() => harness)
before(async () => {
  harness = await startHarness({ config: CONFIG, now: () => Date.parse('2026-06-20T12:00:00Z') })
  const { db, requestLog } = harness.gateway.store
  const version = await newestPriceVersion(db, 'openai', 'm1')
  const costPicodollars = String(costOf(USAGE, compilePrice(parsePrices(version?.prices ?? ''))))
  for (const [id, time] of [
    ['priced', '2026-04-10T01:00:00Z'],
    ['lost', '2026-04-11T01:00:00Z'],
  ] as const) {
    const startedAt = Date.parse(time)
    const served = { provider: 'openai', model: 'm1', usage: USAGE, priceVersion: version?.id ?? 0, costPicodollars }
    await requestLog.close(closeRecord(id, { startedAt, finishedAt: startedAt + 10, ...served }))
  }
  await requestLog.caughtUp()
})
after(() => harness?.stop())

const get = async (): Promise<Json> => (await manage('GET', '/months/2026-04')).json
const close = (body: object = {}) => manage('POST', '/months/2026-04/close', body)
const text = async (format: string) =>
  (
    await fetch(`${harness.url}/months/2026-04/export?format=${format}`, {
      headers: { authorization: `Bearer ${ADMIN_KEY}` },
    })
  ).text()

test('a cost that is not that of its tokens is found by the close itself', async () => {
  const row = await harness.gateway.store.db
    .selectFrom('requests')
    .selectAll()
    .where('id', '=', 'priced')
    .executeTakeFirstOrThrow()
  const setCost = async (cost: typeof row.cost_picodollars) =>
    harness.gateway.store.db
      .updateTable('requests')
      .set({ cost_picodollars: cost })
      .where('id', '=', 'priced')
      .execute()
  await setCost(1)
  const refused = await close()
  assert.equal(refused.status, 409)
  assert.match(
    refused.json.error.message,
    /1 row has another cost than tokens and prices give, the first priced at 2026-04-10T01:00:00\.000Z/,
  )
  await setCost(row.cost_picodollars)
})

test('a month that is not whole is closed with a reason, which is frozen and exported with the name', async () => {
  await harness.gateway.store.db.deleteFrom('requests').where('id', '=', 'lost').execute()
  const { blockers, total_usd: total } = await get()
  assert.equal(total, TOTAL)
  assert.deepEqual(
    blockers.map((each: Json) => each.can_override),
    [true],
  )
  assert.match((await close()).json.error.message, /To close it anyway, say why in override/)
  const override = 'the disk is lost, the invoice agrees'
  const body = { comment: 'April', override }
  assert.equal((await close({ override: '' })).status, 400)
  const { status, json, text: answer } = await close(body)
  assert.equal(status, 200, answer)
  const [first, ...more] = json.overrides
  assert.deepEqual([first.reason, first.by, more.length, json.total_usd], [override, 'ADMIN_KEY', 0, total])
  assert.match(first.sentence, /^1 row is missing from the request log between 2026-04-11/)
  assert.equal((await get()).verified, true)
  const csv = await text('csv')
  assert.ok(csv.includes(`closed anyway by ADMIN_KEY: ${override}. 1 row is missing`), csv)
  assert.ok(csv.includes(`,2,${TOTAL},`), csv)
  const focus = await text('focus')
  assert.ok(focus.includes(`closed books, closed anyway by ADMIN_KEY: ${override}`), focus)
  assert.match(await text('text'), /^\{"line":"override",/m)
  const [entry] = await auditOf(manage, 'months/2026-04')
  assert.equal(entry.after.override, override)
})
