import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type BilledCall, reportAnswer } from '../../simulator/reports.ts'
import { type Harness, hello, type Json, startHarness } from '../harness.ts'
import { managing } from './manage.ts'

/** The vendor's own prices: nothing of the gateway's price list is used here. */
const INPUT_MICROS = 2_500_000
const OUTPUT_MICROS = 15_000_000
const CONFIG = `
registry:
  - { provider: openai, model: gpt-4o, input_per_mtok: "2.5", cached_input_per_mtok: "1.25", output_per_mtok: "15" }
`
const MONTH = '2026-05'
const NOON = Date.parse(`${MONTH}-04T12:00:00Z`)
const MINUTE_MS = 60_000
/** Each in a minute of its own. */
const CALLS = 6

/** What goes wrong at the vendor, or with our rows; and what it must be called. */
interface Drift {
  name: string
  /** Changes the bill that the simulator kept. */
  billed?(calls: BilledCall[]): BilledCall[]
  /** A row that is gone from the log meanwhile. */
  withoutRow?: number
  causes: Record<string, RegExp>
}

const own = (call: BilledCall): BilledCall => ({ ...call, input: 70_000, output: 3_500 })

const DRIFTS: readonly Drift[] = [
  { name: 'nothing', causes: {} },
  {
    name: 'a price that is wrong by 1 %',
    billed: (calls) => calls.map((call) => ({ ...call, outputMicros: (call.outputMicros * 101) / 100 })),
    causes: { price: /gpt-4o output \+1 %, 15\.15 USD per million tokens/ },
  },
  { name: 'a row that was deleted', withoutRow: 2, causes: { missing_rows: /^1 row missing from the request log/ } },
  {
    name: 'a foreign call in a minute without ours',
    billed: (calls) => [...calls, ...calls.slice(0, 1).map((call) => ({ ...own(call), at: call.at + 60 * MINUTE_MS }))],
    causes: { foreign: /another program uses the key \(1 requests\), between 2026-05-04 13:00Z/ },
  },
  {
    name: 'a foreign call in a minute with ours',
    billed: (calls) => [...calls, ...calls.slice(0, 1).map(own)],
    causes: { foreign: /another program uses the key \(1 requests\), between 2026-05-04 12:00Z/ },
  },
  {
    name: 'a call that was served at another tier',
    billed: (calls) =>
      calls.map((call, index) =>
        index === 3
          ? { ...call, tier: 'priority', inputMicros: 2 * call.inputMicros, outputMicros: 2 * call.outputMicros }
          : call,
      ),
    causes: { tier: /^Charged at another tier than booked: priority/ },
  },
  {
    name: 'a deleted row and a foreign call at once',
    billed: (calls) => [...calls, ...calls.slice(0, 1).map((call) => ({ ...own(call), at: call.at + 60 * MINUTE_MS }))],
    withoutRow: 2,
    causes: { missing_rows: /^1 row missing/, foreign: /another program uses the key \(1 requests\)/ },
  },
]

describe('an injected drift is named as what it is', { concurrency: false }, () => {
  let harness: Harness
  const bill: BilledCall[] = []
  let now = NOON
  const manage = managing(() => harness)
  before(async () => {
    harness = await startHarness({ config: CONFIG, now: () => now })
    for (let index = 0; index < CALLS; index++) {
      now = NOON + index * MINUTE_MS + 1_000
      const before = harness.simulator.bill.length
      const answer = await harness.chat(hello('gpt-4o', { messages: [{ role: 'user', content: 'hello '.repeat(50) }] }))
      assert.equal(answer.status, 200, answer.text)
      bill.push(...harness.simulator.bill.slice(before).map((call) => vendorCall(call, now)))
    }
    await harness.rows()
    // Both reports have settled.
    now = NOON + 10 * 86_400_000
  })
  after(() => harness?.stop())

  /** At the vendor's prices; the clock of the simulator is the machine's, ours is set by the test. */
  function vendorCall(call: Harness['simulator']['bill'][number], at: number): BilledCall {
    assert.equal(call.cachedTokens + call.cacheWriteTokens, 0)
    return {
      ...{ at, key: 'key_1', model: call.model, input: call.freshTokens, output: call.completionTokens },
      ...{ inputMicros: INPUT_MICROS, outputMicros: OUTPUT_MICROS },
    }
  }

  /** As the vendor's report server answers, through the management API. */
  async function importBill(calls: readonly BilledCall[]): Promise<void> {
    for (const { id } of (await manage('GET', '/reports')).json.data) await manage('DELETE', `/reports/${id}`)
    const span = `start_time=${NOON / 1000 - 43_200}&end_time=${NOON / 1000 + 43_200}`
    for (const [source, path] of [
      ['openai-usage', `usage/completions?bucket_width=1m&${span}`],
      ['openai-costs', `costs?bucket_width=1d&${span}`],
    ] as const) {
      const url = new URL(`http://vendor/v1/organization/${path}`)
      const options = { adminKey: 'sk-admin', pageSize: 2_000 }
      const { body } = reportAnswer(url, { authorization: 'Bearer sk-admin' }, calls, options)
      const sent = await manage('POST', '/reports', { source, provider: 'openai', text: JSON.stringify(body) })
      assert.equal(sent.status, 200, sent.text)
    }
  }

  for (const { name, billed = (calls: BilledCall[]) => calls, withoutRow, causes } of DRIFTS) {
    test(name, async () => {
      const { db } = harness.gateway.store
      await importBill(billed(bill))
      const rows = await db.selectFrom('requests').selectAll().orderBy('started_at').execute()
      const taken = withoutRow === undefined ? undefined : rows[withoutRow]
      if (taken !== undefined) await db.deleteFrom('requests').where('id', '=', taken.id).execute()
      const [found] = (await manage('GET', `/reconciliation?month=${MONTH}`)).json.data
      if (taken !== undefined) await db.insertInto('requests').values(taken).execute()
      const named = found.causes.filter(({ cause }: Json) => cause !== 'rounding')
      assert.deepEqual(named.map(({ cause }: Json) => cause).toSorted(), Object.keys(causes).toSorted())
      for (const { cause, sentence } of named) assert.match(sentence, causes[cause] ?? /never/)
      assert.equal(found.unexplained_usd, '0')
    })
  }
})
