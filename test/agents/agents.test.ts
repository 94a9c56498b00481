import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { RecordedCall, Tweak } from '../../simulator/simulator.ts'
import { assertVerified, hard, statusOf } from '../limits/limited.ts'
import { type Agent, ANSWER, claudeCode, codeMode, codex, NOTE, webSocketCodex } from './agent.ts'
import { continueCli, openCode } from './chat-agents.ts'
import { type Report, sendOut, startYard, TO_ANTHROPIC, TO_CHAT, TO_RESPONSES, type Way, type Yard } from './yard.ts'

let yard: Yard
before(async () => {
  yard = await startYard()
})
after(() => yard.stop())

const OUTINGS: [Agent, alias: string, Way][] = [
  [claudeCode, 'claude-agent', TO_ANTHROPIC],
  [claudeCode, 'claude-agent', TO_CHAT],
  [codex, 'gpt-5.5', TO_RESPONSES],
  [codex, 'gpt-5.5', TO_CHAT],
  [codex, 'gpt-5.5', TO_ANTHROPIC],
  [codeMode, 'gpt-6.1-sol', TO_RESPONSES],
  [codeMode, 'gpt-6.1-sol', TO_CHAT],
  [codeMode, 'gpt-6.1-sol', TO_ANTHROPIC],
]

/** Far more than a task costs. */
const AMPLE = { limits: hard(100_000_000_000_000n) }
/** What a first turn really costs: less than is held for it, and enough that a second one is refused. */
const SPENT = { prompt: 20_000, completion: 1000 }
const SPENT_PICODOLLARS = 25_000_000_000n

/** More than the serving thread reads itself. */
const LONG = 'Track seven is closed on Sundays.\n'.repeat(6000)

/**
 * The hold of the second turn, by the name of the task's test: little more than that of the first. What an address may
 * charge is held for only until its first answer has told.
 */
const holds = new Map<string, bigint>()

for (const [agent, alias, way] of OUTINGS) {
  const title = `${agent.name} ${way.workspace.replace('-', ' ')}`
  test(`${title}: does a task of two tool turns`, async () => {
    const report = await sendOut(yard, agent, alias, way, AMPLE)
    await assertDone(report, agent, way)
    holds.set(title, BigInt(String(report.rows[1]?.['hold_picodollars'])))
  })

  test(`${title}: does it with a prompt that a worker translates`, async () => {
    const report = await sendOut(yard, agent, alias, way, { ...AMPLE, memory: LONG })
    await assertDone(report, agent, way)
    assert.ok(report.calls.every(({ rawBody }) => rawBody.includes(LONG.slice(0, 20)) && rawBody.length > LONG.length))
  })

  // Every repetition of a refused request takes Codex seconds, in any mode.
  if (agent === codeMode) continue
  test(`${title}: stops at a hard budget, with our words`, async () => {
    const hold = holds.get(title) ?? 0n
    assert.ok(hold > SPENT_PICODOLLARS, 'a turn is a call within its hold')
    const limit = hold + SPENT_PICODOLLARS / 2n
    const spending: Agent = { ...agent, turns: (work, to) => spendAtFirst(agent.turns(work, to)) }
    const report = await sendOut(yard, spending, alias, way, { limits: hard(limit) })
    assert.notEqual(report.code, 0, report.output)
    assert.match(report.output, /The budget of .* does not allow this call/)
    assert.equal(report.calls.length, 1, 'only what fits reaches the provider')
    assert.equal(readFileSync(join(report.work, 'note.txt'), 'utf8'), NOTE, report.output)
    assert.equal(costOf(report), SPENT_PICODOLLARS)
    // It stops at the first refusal.
    assert.deepEqual(
      report.rows.map(({ code, status }) => [code, status]),
      [
        [null, 200],
        ['budget_exceeded', 402],
      ],
    )
    const { spent, held } = (await statusOf(yard, { kind: 'key', id: report.keyId })).periods.total
    assert.deepEqual([spent, held], [SPENT_PICODOLLARS, 0n])
    assert.ok(spent <= limit)
    await assertVerified(yard)
  })
}

for (const agent of [openCode, continueCli]) {
  for (const way of [TO_CHAT, TO_ANTHROPIC]) {
    test(`${agent.name} ${way.workspace.replace('-', ' ')}: does a task of one tool turn`, async () => {
      // Under a name with "claude" OpenCode also marks what should be cached.
      const report = await sendOut(yard, agent, 'claude-agent', way, AMPLE)
      assert.equal(report.code, 0, report.output)
      assert.match(report.output, new RegExp(ANSWER))
      assert.equal(readFileSync(join(report.work, 'note.txt'), 'utf8'), NOTE, report.output)
      assert.ok(report.rows.length >= 2)
      for (const row of report.rows) {
        assert.deepEqual([row['endpoint'], row.status, row['usage_source']], [agent.endpoint, 200, 'provider'])
      }
      assert.ok(report.calls.every(({ path }) => path === way.path))
      await assertVerified(yard)
    })
  }
}

test('Codex that asks for a WebSocket goes on over HTTP at once', async () => {
  const report = await sendOut(yard, webSocketCodex, 'gpt-5.5', TO_CHAT, AMPLE)
  await assertDone(report, webSocketCodex, TO_CHAT)
  assert.equal(report.output.match(/failed to connect to Responses WebSocket/g)?.length, 1, report.output)
  assert.doesNotMatch(report.output, /Reconnecting/)
})

test('what Claude thought goes back to it through Codex', async () => {
  const { calls } = await sendOut(yard, codex, 'gpt-5.5', TO_ANTHROPIC, AMPLE)
  assert.match(
    JSON.stringify(calls[1]?.body),
    /"type":"thinking","thinking":"First the note[^}]*"signature":"[^"]{64}"/,
  )
})

test('what Claude Code says reaches Anthropic as it was said', async () => {
  const { calls } = await sendOut(yard, claudeCode, 'claude-agent', TO_ANTHROPIC, AMPLE)
  const [first] = calls
  assert.match(String(first?.headers['anthropic-beta']), /claude-code-/)
  assert.equal(first?.headers['anthropic-version'], '2023-06-01')
  assert.equal(first?.headers['x-api-key'], 'sk-ant-test-key')
  assert.equal(first?.headers['authorization'], undefined)
  const body = JSON.stringify(first?.body)
  for (const words of ['"context_management"', 'x-anthropic-billing-header', '"cache_control"', '"defer_loading"'])
    assert.ok(body.includes(words), words)
})

function spendAtFirst(turns: Tweak[]): Tweak[] {
  return turns.map((turn, index) => (index === 0 ? { ...turn, exactUsage: SPENT } : turn))
}

function costOf({ rows }: Report): bigint {
  return rows.reduce((sum, row) => sum + BigInt(String(row['cost_picodollars'] ?? 0)), 0n)
}

/** The end of the conversation, where the results are. */
function resultsIn(call: RecordedCall | undefined): string {
  const { messages = [], input = messages } = (call?.body ?? {}) as { messages?: unknown[]; input?: unknown[] }
  return JSON.stringify(input.slice(-2))
}

async function assertDone(report: Report, agent: Agent, way: Way): Promise<void> {
  assert.equal(report.code, 0, report.output)
  assert.match(report.output, new RegExp(ANSWER))
  assert.equal(readFileSync(join(report.work, 'note.txt'), 'utf8'), NOTE, report.output)
  assert.equal(readFileSync(join(report.work, 'copy.txt'), 'utf8'), NOTE, report.output)
  assert.match(resultsIn(report.calls.at(-1)), new RegExp(NOTE.trim()), 'the model saw what the tool said')
  assert.deepEqual(
    report.calls.map(({ path }) => path),
    [way.path, way.path, way.path],
  )
  assert.deepEqual(
    report.rows.map((row) => [row['endpoint'], row.status, row['usage_source']]),
    Array(3).fill([agent.endpoint, 200, 'provider']),
  )
  await assertVerified(yard)
}
