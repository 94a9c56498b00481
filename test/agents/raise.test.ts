import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { assertVerified, usd } from '../limits/limited.ts'
import { managing } from '../management/manage.ts'
import { type Agent, ANSWER, claudeCode, codex, NOTE } from './agent.ts'
import { sendOut, startYard, TO_ANTHROPIC, TO_CHAT, TO_RESPONSES, type Way, type Yard } from './yard.ts'

let yard: Yard
before(async () => {
  yard = await startYard()
})
after(() => yard.stop())
const manage = managing(() => yard)

const OUTINGS: [Agent, alias: string, Way][] = [
  [claudeCode, 'claude-agent', TO_ANTHROPIC],
  [codex, 'gpt-5.5', TO_RESPONSES],
  [codex, 'gpt-5.5', TO_CHAT],
]

/** Far more than a task costs. */
const AMPLE = '100'
/** What a first turn really costs: less than is held for it, and enough that a second one is refused. */
const SPENT = { prompt: 20_000, completion: 1000 }
const SPENT_PICODOLLARS = 25_000_000_000n

const eachSession = (amount: string) => ({
  limits: { budgets: [{ each: 'session', usd: amount, per: 'total', mode: 'hard' } as const] },
})

for (const [agent, alias, way] of OUTINGS) {
  const title = `${agent.name} ${way.workspace.replace('-', ' ')}`
  test(`${title}: stops at the budget of its session, and goes on after a raise`, async () => {
    const ample = await sendOut(yard, agent, alias, way, eachSession(AMPLE))
    assert.equal(ample.code, 0, ample.output)
    const hold = BigInt(String(ample.rows[1]?.['hold_picodollars']))
    const spending: Agent = {
      ...agent,
      turns: (work, to) =>
        agent.turns(work, to).map((turn, index) => (index === 0 ? { ...turn, exactUsage: SPENT } : turn)),
    }
    const limit = usd(hold + SPENT_PICODOLLARS / 2n)
    const stopped = await sendOut(yard, spending, alias, way, eachSession(limit))
    assert.notEqual(stopped.code, 0, stopped.output)
    assert.match(stopped.output, /budget of session .* does not allow this call/)
    assert.match(stopped.output, /ask an operator to raise it \(switchyard raises create .*--each session --value/)
    assert.deepEqual(
      stopped.rows.map(({ code }) => code),
      [null, 'budget_exceeded'],
      'it stops at the first refusal',
    )

    const { each, value, session } = JSON.parse(String(stopped.rows[1]?.['figures']))
    assert.equal(each, 'session')
    const raise = { key: stopped.keyId, each, value, session, usd: AMPLE, reason: 'finish the note' }
    const raised = await manage('POST', `/raises?workspace=${way.workspace}`, raise)
    assert.equal(raised.status, 201, raised.text)

    const done = await stopped.goOn('Go on.')
    assert.equal(done.code, 0, done.output)
    assert.match(done.output, new RegExp(ANSWER))
    assert.equal(readFileSync(join(stopped.work, 'copy.txt'), 'utf8'), NOTE, done.output)
    assert.deepEqual(
      new Set([...stopped.rows, ...done.rows].map((row) => row['session'])),
      new Set([value]),
      'it is the same session',
    )
    await assertVerified(yard)
  })
}
