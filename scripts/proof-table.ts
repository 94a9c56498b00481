import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { between } from '../bench/report/write-docs.ts'
import type { Verdict } from '../prove/prove.ts'

/** `switchyard prove --json | node scripts/proof-table.ts` writes the README's table of proofs: nothing else does. */
export const MARKS = {
  begin: '<!-- proofs: written by npm run prove:readme -->',
  end: '<!-- /proofs -->',
}

export function proofTable({ seed, proofs }: Pick<Verdict, 'seed' | 'proofs'>): string {
  const rows = proofs.map(({ promise, figures }) => {
    const said = Object.entries(figures).map(([term, value]) => `${term} ${grouped(value)}`)
    return `| ${promise} | ${said.join(', ')} |`
  })
  return ['| promise | in this run |', '|---|---|', ...rows, '', `Seed ${seed}.`].join('\n')
}

/** 20000 as 20,000; other texts and decimals stay. */
function grouped(value: string | number): string {
  return typeof value === 'number' ? value.toLocaleString('en') : value
}

if (import.meta.main) {
  const verdict = JSON.parse(readFileSync(0, 'utf8')) as Verdict
  if (!verdict.holds) throw new Error('A promise did not hold: the README is left as it was.')
  const readme = join(import.meta.dirname, '../README.md')
  writeFileSync(readme, between(readFileSync(readme, 'utf8'), proofTable(verdict), MARKS))
  process.stdout.write('written: README.md\n')
}
