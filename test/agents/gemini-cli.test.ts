import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { assertVerified, hard, statusOf } from '../limits/limited.ts'
import { type Agent, ANSWER, beforeConnect, connectTool, goOut, NOTE, script } from './agent.ts'
import { sendOut, startYard, TO_ANTHROPIC, TO_CHAT, TO_GEMINI, type Yard } from './yard.ts'

let yard: Yard
before(async () => {
  yard = await startYard()
})
after(() => yard.stop())

const GEMINI = script('node_modules/@google/gemini-cli/bundle/gemini.js')

const geminiCli: Agent = {
  name: 'Gemini CLI',
  endpoint: 'generate_content',
  memory: 'GEMINI.md',
  turns: (workFolder) => [
    {
      text: 'I write it.',
      thinking: 'First the note, then a look at it.',
      calls: [{ name: 'write_file', input: { file_path: join(workFolder, 'note.txt'), content: NOTE } }],
    },
    { calls: [{ name: 'run_shell_command', input: { command: 'tee -a copy.txt < note.txt' } }] },
    { text: ANSWER },
  ],
  async run(connection, folders, prompt) {
    // What keeps it from contacting other hosts.
    const file = { privacy: { usageStatisticsEnabled: false }, general: { enableAutoUpdate: false } }
    beforeConnect(folders, '.gemini/settings.json', JSON.stringify(file))
    await connectTool('gemini-cli', connection, folders)
    const settings = {
      // The folder is the sandbox: nothing but the script of this test decides what is run in it.
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
      GEMINI_TELEMETRY_ENABLED: 'false',
    }
    return goOut(GEMINI, ['--yolo', '--prompt', prompt], folders, { ...connection.environment, ...settings })
  },
}

const AMPLE = { limits: hard(100_000_000_000_000n) }
/** What the first turn costs: then there is not enough for a second one. */
const SPENT = { prompt: 20_000, completion: 1000 }
const SPENT_PICODOLLARS = 25_000_000_000n

for (const way of [TO_GEMINI, TO_CHAT, TO_ANTHROPIC]) {
  const title = `${geminiCli.name} ${way.workspace.replace('-', ' ')}`
  let hold = 0n

  test(`${title}: does a task of two tool turns`, async () => {
    const report = await sendOut(yard, geminiCli, 'claude-agent', way, AMPLE)
    assert.equal(report.code, 0, report.output)
    assert.match(report.output, new RegExp(ANSWER))
    for (const file of ['note.txt', 'copy.txt']) {
      assert.equal(readFileSync(join(report.work, file), 'utf8'), NOTE, report.output)
    }
    assert.deepEqual(
      report.calls.map(({ path }) => path),
      [way.path, way.path, way.path],
    )
    assert.ok(report.calls.at(-1)?.rawBody.includes(NOTE.trim()), 'the model saw what the tool said')
    assert.deepEqual(
      report.rows.map((row) => [row['endpoint'], row.status, row['usage_source']]),
      Array(3).fill([geminiCli.endpoint, 200, 'provider']),
    )
    hold = BigInt(String(report.rows[1]?.['hold_picodollars']))
    await assertVerified(yard)
  })

  test(`${title}: stops at a hard budget, with our words, within two calls`, async () => {
    assert.ok(hold > SPENT_PICODOLLARS, 'a turn is a call within its hold')
    const spending: Agent = {
      ...geminiCli,
      turns: (work, to) =>
        geminiCli.turns(work, to).map((turn, at) => (at === 0 ? { ...turn, exactUsage: SPENT } : turn)),
    }
    const limit = hold + SPENT_PICODOLLARS / 2n
    const report = await sendOut(yard, spending, 'claude-agent', way, { limits: hard(limit) })
    assert.match(report.output, /The budget of .* does not allow this call/)
    assert.deepEqual(
      report.rows.map(({ code, status }) => [code, status]),
      [
        [null, 200],
        ['budget_exceeded', 402],
      ],
    )
    assert.equal(report.calls.length, 1, 'only what fits reaches the provider')
    const { spent, held } = (await statusOf(yard, { kind: 'key', id: report.keyId })).periods.total
    assert.deepEqual([spent, held], [SPENT_PICODOLLARS, 0n])
    await assertVerified(yard)
  })
}

test('what Claude thought goes back to it through Gemini CLI', async () => {
  const { calls } = await sendOut(yard, geminiCli, 'claude-agent', TO_ANTHROPIC, AMPLE)
  assert.match(
    JSON.stringify(calls[1]?.body),
    /"type":"thinking","thinking":"First the note[^}]*"signature":"[^"]{64}"/,
  )
})
