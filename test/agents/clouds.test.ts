import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { assertVerified, hard } from '../limits/limited.ts'
import { type Agent, ANSWER, claudeCode, NOTE } from './agent.ts'
import { sendOut, startYard, TO_BEDROCK, TO_OLD_BEDROCK, TO_VERTEX, type Way, type Yard } from './yard.ts'

/** Clouds refuse betas and fields that Claude Code sends by default: each knows other ones. */
let yard: Yard
before(async () => {
  yard = await startYard()
})
after(() => yard.stop())

const AMPLE = { limits: hard(100_000_000_000_000n) }
/** What a first turn really costs: less than is held for it, and enough that a second one is refused. */
const SPENT = { prompt: 20_000, completion: 1000 }
const SPENT_PICODOLLARS = 25_000_000_000n

const NEWEST = 'thinking-token-count-2026-05-13'
/** Sent without asking, because it is known. */
const RENAMED = 'tool-search-tool-2025-10-19'
/** What goes otherwise than it came, and the number of calls of the cloud that find it out: the last one is served. */
const OUTINGS: [Way, firstCalls: number, told: string[]][] = [
  [TO_BEDROCK, 2, [RENAMED, NEWEST]],
  [TO_OLD_BEDROCK, 6, [NEWEST, 'claude-code-20250219', 'tools.*.defer_loading', 'context_management']],
  [TO_VERTEX, 2, [RENAMED, NEWEST, 'mid-conversation-tool-changes-2026-07-01']],
]

for (const [way, firstCalls, told] of OUTINGS) {
  const title = `${claudeCode.name} ${way.workspace.replaceAll('-', ' ')}`
  let hold = 0n

  test(`${title}: does a task of two tool turns with its defaults`, async () => {
    const report = await sendOut(yard, claudeCode, 'claude-agent', way, AMPLE)
    assert.equal(report.code, 0, report.output)
    assert.match(report.output, new RegExp(ANSWER))
    assert.equal(readFileSync(join(report.work, 'copy.txt'), 'utf8'), NOTE, report.output)
    assert.deepEqual(
      report.rows.map((row) => [row['endpoint'], row.status, row['usage_source']]),
      Array(3).fill([claudeCode.endpoint, 200, 'provider']),
    )
    const attempts = report.rows.map(
      (row) => JSON.parse(String(row['attempts'])) as { status: number; reason: string }[],
    )
    assert.deepEqual(
      attempts.map((each) => each.map(({ status }) => status)),
      [[...Array(firstCalls - 1).fill(400), 200], [200], [200]],
      JSON.stringify(attempts),
    )
    for (const row of report.rows) {
      const adjustments = JSON.parse(String(row['adjustments'])) as { field: string; value: string | null }[]
      const named = adjustments.map(({ field, value }) => value ?? field)
      for (const each of told) assert.ok(named.includes(each), named.join())
    }
    hold = BigInt(String(report.rows[1]?.['hold_picodollars']))
    await assertVerified(yard)
  })

  test(`${title}: stops at a hard budget, with our words, within two calls`, async () => {
    assert.ok(hold > SPENT_PICODOLLARS, 'a turn is a call within its hold')
    const spending: Agent = {
      ...claudeCode,
      turns: (work, to) =>
        claudeCode.turns(work, to).map((turn, at) => (at === 0 ? { ...turn, exactUsage: SPENT } : turn)),
    }
    const report = await sendOut(yard, spending, 'claude-agent', way, { limits: hard(hold + SPENT_PICODOLLARS / 2n) })
    assert.notEqual(report.code, 0, report.output)
    assert.match(report.output, /The budget of .* does not allow this call/)
    assert.match(report.output, /ask an operator to raise it \(switchyard raises create --workspace /)
    assert.deepEqual(
      report.rows.map(({ code, status }) => [code, status]),
      [
        [null, 200],
        ['budget_exceeded', 402],
      ],
    )
    await assertVerified(yard)
  })
}
