import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { assertVerified } from '../limits/limited.ts'
import { ANSWER, compactingCodex, NOTE } from './agent.ts'
import { sendOut, startYard, TO_ANTHROPIC, TO_CHAT, TO_GEMINI, TO_RESPONSES, type Yard } from './yard.ts'

let yard: Yard
before(async () => {
  yard = await startYard()
})
after(() => yard.stop())

for (const way of [TO_RESPONSES, TO_CHAT, TO_ANTHROPIC, TO_GEMINI]) {
  test(`${compactingCodex.name} ${way.workspace.replace('-', ' ')}: goes on with its task`, async () => {
    const { code, output, work, rows, calls } = await sendOut(yard, compactingCodex, 'gpt-5.5', way, { limits: {} })
    assert.equal(code, 0, output)
    assert.match(output, new RegExp(ANSWER))
    assert.equal(readFileSync(join(work, 'note.txt'), 'utf8'), NOTE, output)
    assert.equal(readFileSync(join(work, 'copy.txt'), 'utf8'), NOTE, output)
    assert.doesNotMatch(output, /Fatal error|Error running remote compact/)
    const compactions = rows.filter(({ kind }) => kind === 'compaction')
    assert.deepEqual(
      compactions.map((row) => [row['endpoint'], row.status, row['usage_source']]),
      [['responses', 200, 'provider']],
      output,
    )
    assert.ok(BigInt(String(compactions[0]?.['cost_picodollars'])) > 0n)
    assert.equal(rows.length, 4, 'two turns, the summary between them, the answer')
    assert.ok(rows.every(({ status }) => status === 200))
    assert.equal(calls.length, 4)
    const [, summary, next] = calls.map(({ rawBody }) => rawBody.toString())
    const isNative = way === TO_RESPONSES
    assert.equal(summary?.includes('compaction_trigger'), isNative)
    assert.equal(summary?.includes('write a summary of this conversation'), !isNative)
    assert.equal(next?.includes('replaced by this summary'), !isNative)
    await assertVerified(yard)
  })
}
