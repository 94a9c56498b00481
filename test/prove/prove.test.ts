import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import type { Verdict } from '../../prove/prove.ts'
import { runCli } from '../cli/run-cli.ts'
import { seedOr } from '../property.ts'

const folder = mkdtempSync(join(tmpdir(), 'prove-test-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const seed = seedOr(20_261_119)

// Memory takes as long as the others together, and hostile requests wait for gateways that close.
for (const id of ['budget', 'hang-up', 'kills', 'prompt-cache', 'secrets']) {
  test(`switchyard prove finds that ${id} holds, and leaves nothing behind`, async () => {
    const page = join(folder, `${id}.html`)
    const args = ['prove', '--quick', '--json', '--only', id, '--seed', String(seed), '--page', page]
    const { code, stdout, stderr } = await runCli(args, { folder, environment: { TMPDIR: folder } })
    assert.equal(code, 0, stdout + stderr)
    const verdict: Verdict = JSON.parse(stdout)
    assert.deepEqual([verdict.holds, verdict.seed, verdict.proofs.map((proof) => proof.id)], [true, seed, [id]])
    assert.ok(Object.keys(verdict.proofs[0]?.figures ?? {}).length > 2)
    assert.match(readFileSync(page, 'utf8'), /Every promise held[\s\S]*✓/)
    assert.deepEqual(
      readdirSync(folder).filter((name) => !name.endsWith('.html')),
      [],
    )
  })
}

describe('switchyard prove', () => {
  test('names what it cannot read', async () => {
    const only = await runCli(['prove', '--only', 'budgets'], { folder })
    assert.deepEqual([only.code, only.stdout], [2, ''])
    assert.match(only.stderr, /--only: one of budget, hang-up, .*not 'budgets'/)
    const number = await runCli(['prove', '--seed', '-1'], { folder })
    assert.match(number.stderr, /--seed/)
  })
})
