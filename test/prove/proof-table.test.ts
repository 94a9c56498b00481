import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { PROOFS } from '../../prove/prove.ts'
import { MARKS, proofTable } from '../../scripts/proof-table.ts'

test('a verdict becomes a table: each promise, and what was counted', () => {
  const proved = { id: 'a', name: 'A', refutedBy: '', seconds: 1, problems: [] }
  const table = proofTable({
    seed: 7,
    proofs: [{ ...proved, promise: 'It holds.', figures: { calls: 20_000, 'billed (USD)': '1.5000' } }],
  })
  assert.equal(
    table,
    '| promise | in this run |\n|---|---|\n| It holds. | calls 20,000, billed (USD) 1.5000 |\n\nSeed 7.',
  )
})

test('the README shows every proof of today, by its promise', () => {
  const readme = readFileSync('README.md', 'utf8')
  const written = readme.slice(readme.indexOf(MARKS.begin), readme.indexOf(MARKS.end))
  const promises = [...written.matchAll(/^\| (.+?) \| .+ \|$/gm)].map(([, promise]) => promise).slice(1)
  assert.deepEqual(
    promises,
    PROOFS.map(({ promise }) => promise),
    'npm run prove:readme writes them',
  )
})
