import { writeFileSync } from 'node:fs'
import { verdictPage } from '../../prove/page.ts'
import type { Proof } from '../../prove/proof.ts'
import { PROOFS, type Proved, prove as proveAll } from '../../prove/prove.ts'
import { version } from '../app/version.ts'
import { CliError } from './cli-error.ts'
import type { Given } from './command.ts'
import { endWithTerminal } from './stop-signal.ts'

/** Tries the promises on this machine; 1 when one did not hold. */
export async function prove({ values, output }: Given): Promise<number> {
  endWithTerminal()
  const proofs = chosen(values['only'] as string | undefined)
  const seed = seedOf(values['seed'] as string | undefined)
  const say = (text: string) => {
    if (!output.isJson) output.line(text)
  }
  say(`Seed ${seed}. Simulated providers on this machine, no key is needed, nothing is left behind.`)
  const verdict = await proveAll({
    ...{ program: ownProgram(), seed, isQuick: values['quick'] === true, proofs },
    onBegin: ({ name }, place) => output.progress(`${place + 1} of ${proofs.length}: ${name} …`),
    onEnd(proved) {
      output.progress(null)
      for (const line of linesOf(proved, output.isJson ? null : output)) say(line)
    },
  })
  const page = values['page'] as string | undefined
  if (page !== undefined) writeFileSync(page, verdictPage(verdict, version()))
  if (output.isJson) output.json(verdict)
  else say(verdict.holds ? '\nEvery promise held.' : `\nA promise did not hold. Again: switchyard prove --seed ${seed}`)
  return verdict.holds ? 0 : 1
}

function chosen(only: string | undefined): readonly Proof[] {
  if (only === undefined) return PROOFS
  const found = PROOFS.filter(({ id }) => id === only)
  const names = PROOFS.map(({ id }) => id).join(', ')
  if (found.length === 0) throw new CliError(`--only: one of ${names}, not '${only}'`, 2)
  return found
}

function seedOf(text: string | undefined): number {
  if (text === undefined) return Math.floor(Math.random() * 2 ** 31)
  if (/^\d{1,10}$/.test(text)) return Number(text)
  throw new CliError(`--seed: a whole number, not '${text}'`, 2)
}

/** This program, as it was started. */
function ownProgram(): string[] {
  return [...process.execArgv, process.argv[1] ?? '']
}

function linesOf(
  { name, promise, figures, problems, seconds, refutedBy }: Proved,
  output: Given['output'] | null,
): string[] {
  if (output === null) return []
  const isKept = problems.length === 0
  const mark = isKept ? output.good('✓') : output.bad('✗')
  const said = Object.entries(figures).map(([term, value]) => `${term} ${value}`)
  return [
    `\n${mark} ${name} (${seconds} s): ${promise}`,
    `  ${said.join(', ')}`,
    ...problems.map((problem) => `  ${output.bad(problem)}`),
    `  Refuted by: ${refutedBy}`,
  ]
}
