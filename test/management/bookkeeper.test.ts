import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { BOOKKEEPER_DAY, BOOKKEEPER_MONTH, bookkeeperReports, writeBookkeeperRows } from '../bookkeeper.ts'
import { type Harness, type Json, startHarness } from '../harness.ts'
import { managing } from './manage.ts'

const CONFIG = `
registry:
  - { provider: openai, model: m1, input_per_mtok: "2.5", cached_input_per_mtok: "0.25", output_per_mtok: "15" }
`

describe('the bookkeeper asks why the invoice is 3.10 USD above ours', { concurrency: false }, () => {
  let harness: Harness
  const manage = managing(() => harness)
  before(async () => {
    harness = await startHarness({ config: CONFIG })
    await writeBookkeeperRows(harness.gateway.store)
    for (const { source, text } of bookkeeperReports()) {
      const { status, text: answer } = await manage('POST', '/reports', { source, provider: 'openai', text })
      assert.equal(status, 200, answer)
    }
  })
  after(() => harness?.stop())

  const provider = async (): Promise<Json> =>
    (await manage('GET', `/reconciliation?month=${BOOKKEEPER_MONTH}`)).json.data[0]
  const amounts = (causes: Json) =>
    Object.fromEntries(causes.map(({ cause, amount_usd: amount }: Json) => [cause, amount]))

  test('all six causes are named and add up; nothing is left', async () => {
    const found = await provider()
    assert.deepEqual(
      [found.ours_usd, found.theirs_usd, found.difference_usd, found.unexplained_usd],
      ['7.89', '10.99', '3.1', '0'],
    )
    assert.deepEqual(amounts(found.causes), {
      ...{ missing_rows: '0.0435', tier: '0.98', tools: '0.6' },
      ...{ unconfirmed: '1.02', foreign: '0.455', rounding: '0.0015' },
    })
  })

  test('the same stands with its day and model, and names calls of ours', async () => {
    const { cells } = await provider()
    const [tools, m1] = cells.toSorted((a: Json, b: Json) => String(b.model).localeCompare(String(a.model)))
    assert.deepEqual([m1.period, m1.model, m1.difference_usd], [BOOKKEEPER_DAY, 'm1', '2.5'])
    assert.deepEqual([tools.model, amounts(tools.causes)], [null, { tools: '0.6' }])
    const { examples } = m1.causes.find(({ cause }: Json) => cause === 'unconfirmed')
    assert.match(examples[0].request_ids[0], /^cut-\d$/)
  })
})
