import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertVerified, hard } from '../limits/limited.ts'
import { managing } from '../management/manage.ts'
import { type Agent, ANSWER } from './agent.ts'
import { openCode } from './chat-agents.ts'
import { sendOut, startYard, TO_ANTHROPIC, TO_CHAT, type Yard } from './yard.ts'

let yard: Yard
before(async () => {
  yard = await startYard()
})
after(() => yard.stop())
const manage = managing(() => yard)

const AMPLE = { limits: hard(100_000_000_000_000n) }

/** Its sub-agents cannot start others, so they get an answer of their own. */
const delegating: Agent = {
  ...openCode,
  turns: () => [
    {
      text: 'I have it looked up.',
      calls: [
        {
          name: 'task',
          input: { description: 'Look up', prompt: 'What does the note say?', subagent_type: 'general' },
        },
      ],
    },
    { text: ANSWER },
  ],
}

for (const way of [TO_CHAT, TO_ANTHROPIC]) {
  const title = `${openCode.name} ${way.workspace.replace('-', ' ')}`

  test(`${title}: its sub-agent is a branch of its session`, async () => {
    const report = await sendOut(yard, delegating, 'claude-agent', way, AMPLE)
    assert.equal(report.code, 0, report.output)
    assert.match(report.output, new RegExp(ANSWER))
    const [session, ...others] = new Set(report.rows.map((row) => String(row['session'])))
    assert.deepEqual(others, [], 'all calls are of one session')
    const branches = report.rows.filter((row) => row['agent'] !== null)
    assert.equal(branches.length, 1, JSON.stringify(report.rows.map((row) => [row['agent'], row['parent']])))
    const [branch] = branches
    assert.deepEqual([branch?.['parent'], branch?.status], [session, 200])
    assert.ok(report.rows.filter((row) => row['agent'] === null).length >= 2)

    const { status, json, text } = await manage('GET', `/usage/sessions/${session}?workspace=${way.workspace}`)
    assert.equal(status, 200, text)
    const agents = json.agents as { agent: string | null; parent: string | null; depth: number; requests: number }[]
    assert.deepEqual(
      agents.map(({ agent, parent, depth }) => [agent, parent, depth]),
      [
        [null, null, 0],
        [branch?.['agent'], session, 1],
      ],
    )
    assert.equal(
      agents.reduce((sum, { requests }) => sum + requests, 0),
      report.rows.length,
    )
    await assertVerified(yard)
  })

  test(`${title}: stops at a hard budget, with our words, within two calls`, async () => {
    const report = await sendOut(yard, delegating, 'claude-agent', way, { limits: hard(1n) })
    assert.match(report.output, /The budget of .* does not allow this call/)
    assert.match(report.output, /ask an operator to raise it \(switchyard raises create /)
    // Its task, and beside it the title that it gives to the conversation.
    assert.ok(report.rows.length <= 2, JSON.stringify(report.rows.map(({ code }) => code)))
    for (const { code, status } of report.rows) assert.deepEqual([code, status], ['budget_exceeded', 402])
    assert.equal(report.calls.length, 0, 'no provider is asked')
    await assertVerified(yard)
  })
}
