import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { type BilledCall, type ReportOptions, reportAnswer } from '../../simulator/reports.ts'
import { compilePrice, costOf, parsePrices } from '../../src/domain/pricing/price.ts'
import { NO_USAGE } from '../../src/domain/pricing/usage.ts'
import { newestPriceVersion } from '../../src/store/control/registry.ts'
import { type Harness, type Json, startHarness } from '../harness.ts'
import { closeRecord } from '../test-store.ts'
import { cliOf } from './run-cli.ts'

const CONFIG = `
registry:
  - { provider: openai, model: m1, input_per_mtok: "2.5", output_per_mtok: "15" }
  - { provider: anthropic, model: m1, input_per_mtok: "2.5", output_per_mtok: "15" }
`
const START = Date.parse('2026-05-04T00:00:00Z')
const HOUR_MS = 3_600_000
const call = (hour: number, more: Partial<BilledCall> = {}): BilledCall => ({
  ...{ at: START + hour * HOUR_MS + 5, key: 'key_1', model: 'm1', input: 10_000, output: 1_000 },
  ...{ inputMicros: 2_500_000, outputMicros: 15_000_000, ...more },
})

let harness: Harness
let billed: BilledCall[] = []
let options: ReportOptions = { adminKey: 'sk-admin', pageSize: 100 }
const paths: string[] = []
const server = createServer((request, response) => {
  const url = new URL(request.url ?? '', 'http://vendor')
  paths.push(`${request.method} ${url.pathname}`)
  const { status, body } = reportAnswer(url, request.headers, billed, options)
  if (url.pathname.startsWith('/moved')) response.writeHead(302, { location: '/v1/organization/costs' }).end()
  else response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
})
const cli = cliOf(() => harness.url)
const vendorUrl = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  harness = await startHarness({ config: CONFIG })
  const { db, requestLog } = harness.gateway.store
  for (const provider of ['openai', 'anthropic']) {
    const version = await newestPriceVersion(db, provider, 'm1')
    const usage = { ...NO_USAGE, input: 10_000, output: 1_000 }
    const costPicodollars = String(costOf(usage, compilePrice(parsePrices(version?.prices ?? ''))))
    for (const hour of [0, 1, 26]) {
      const startedAt = START + hour * HOUR_MS + 5
      const served = { provider, model: 'm1', usage, priceVersion: version?.id ?? 0, costPicodollars }
      await requestLog.close(closeRecord(`${provider}-${hour}`, { startedAt, finishedAt: startedAt, ...served }))
    }
  }
})
after(async () => {
  server.close()
  await harness.stop()
})

const KEYS = { OPENAI_ADMIN_KEY: 'sk-admin', ANTHROPIC_ADMIN_KEY: 'sk-admin' }
const fetched = (vendor: string, more = '') =>
  cli(`reconcile fetch ${vendor} --month 2026-05 --base-url ${vendorUrl()} ${more}`, { environment: KEYS })
const found = async (vendor: string): Promise<Json> =>
  (await cli(`reconcile --month 2026-05 --provider ${vendor} --json`)).json().data[0]

for (const vendor of ['openai', 'anthropic']) {
  describe(`reports of ${vendor}`, () => {
    test('are fetched page by page; equal books have no difference', async () => {
      billed = [call(0), call(1), call(26)]
      const ran = await fetched(vendor)
      assert.equal(ran.code, 0, ran.stderr)
      const { ours_usd, theirs_usd, unexplained_usd } = await found(vendor)
      assert.deepEqual([ours_usd, theirs_usd, unexplained_usd], ['0.12', '0.12', '0'])
      assert.ok(paths.every((path) => path.startsWith('GET /v1/organization')))
    })

    test('fetched again nothing changes; a bucket that filled late is replaced', async () => {
      const lines = (await fetched(vendor, '--json')).json().data
      assert.ok(lines.every((each: Json) => each.added === 0 && each.replaced === 0))
      billed = [...billed, call(5)]
      const late = (await fetched(vendor, '--json')).json().data
      assert.ok(late.some((each: Json) => each.added > 0))
      const { causes, difference_usd, unexplained_usd } = await found(vendor)
      assert.deepEqual([difference_usd, unexplained_usd], ['0.04', '0'])
      assert.deepEqual(
        causes.map((each: Json) => each.cause),
        ['foreign'],
      )
    })

    test('a cursor that does not change ends it', async () => {
      options = { ...options, pageSize: 1, repeats: true }
      const ran = await fetched(vendor)
      options = { adminKey: 'sk-admin', pageSize: 100 }
      assert.equal(ran.code, 1)
      assert.match(ran.stderr, /page 2 of .*: names a page that was read already/)
    })
  })
}

describe('refused', () => {
  test('a wrong admin key, which is not repeated', async () => {
    const environment = { OPENAI_ADMIN_KEY: 'sk-wrong-secret' }
    const ran = await cli(`reconcile fetch openai --month 2026-05 --base-url ${vendorUrl()}`, { environment })
    assert.equal(ran.code, 1)
    assert.match(ran.stderr, /the admin key was refused \(401\)/)
    assert.doesNotMatch(ran.stderr + ran.stdout, /sk-wrong/)
  })

  test('a redirect', async () => {
    const ran = await cli(`reconcile fetch openai --month 2026-05 --base-url ${vendorUrl()}/moved`, {
      environment: KEYS,
    })
    assert.match(ran.stderr, /answered 302/)
  })

  test('no key, no vendor, no month', async () => {
    assert.match((await cli('reconcile fetch openai')).stderr, /set OPENAI_ADMIN_KEY, or give --vendor-key-file/)
    assert.match((await cli('reconcile fetch nowhere')).stderr, /VENDOR is one of openai, anthropic/)
    assert.match((await cli('reconcile fetch openai --month May', { environment: KEYS })).stderr, /--month is YYYY-MM/)
  })
})
