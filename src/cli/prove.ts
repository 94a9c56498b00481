import { writeFileSync } from 'node:fs'
import { DIALECTS, type TargetOptions } from '../../prove/open-target.ts'
import { verdictPage } from '../../prove/page.ts'
import type { Proof } from '../../prove/proof.ts'
import { PROOFS, type Proved, prove as proveAll, whyNotAsked } from '../../prove/prove.ts'
import { version } from '../app/version.ts'
import { CliError } from './cli-error.ts'
import type { Given } from './command.ts'
import { endWithTerminal } from './stop-signal.ts'

/** Tries the promises on this machine; 1 when one did not hold. */
export async function prove({ values, output, environment }: Given): Promise<number> {
  endWithTerminal()
  const proofs = chosen(values['only'] as string | undefined)
  const target = targetOf(values, environment)
  const asked = proofs.filter((proof) => whyNotAsked(proof, target) === null)
  if (asked.length === 0) throw new CliError(`--target: ${whyNotAsked(proofs[0] as Proof, target)}`, 2)
  const seed = seedOf(values['seed'] as string | undefined)
  const say = (text: string) => {
    if (!output.isJson) output.line(text)
  }
  if (target === undefined)
    say(`Seed ${seed}. Simulated providers on this machine, no key is needed, nothing is left behind.`)
  else say(`Seed ${seed}. Asks ${target.url}; its models and keys for this are removed at the end.`)
  const verdict = await proveAll({
    ...{ program: ownProgram(), seed, isQuick: values['quick'] === true, proofs },
    ...(target !== undefined && { target }),
    onBegin: ({ name }, place) => output.progress(`${place + 1} of ${asked.length}: ${name} …`),
    onEnd(proved) {
      output.progress(null)
      for (const line of linesOf(proved, output.isJson ? null : output)) say(line)
    },
  })
  const page = values['page'] as string | undefined
  if (page !== undefined) writeFileSync(page, verdictPage(verdict, version()))
  for (const { name, reason } of verdict.notAsked) say(`\n– ${name}: not asked, ${reason}`)
  const held = target === undefined ? '\nEvery promise held.' : '\nEverything asked held.'
  if (output.isJson) output.json(verdict)
  else say(verdict.holds ? held : `\nA promise did not hold. Again: switchyard prove --seed ${seed}`)
  return verdict.holds ? 0 : 1
}

function chosen(only: string | undefined): readonly Proof[] {
  if (only === undefined) return PROOFS
  const found = PROOFS.filter(({ id }) => id === only)
  const names = PROOFS.map(({ id }) => id).join(', ')
  if (found.length === 0) throw new CliError(`--only: one of ${names}, not '${only}'`, 2)
  return found
}

/** The gateway that `prove` asks in place of one of its own. Its admin key is never an argument: others see those. */
function targetOf(values: Given['values'], environment: Given['environment']): TargetOptions | undefined {
  const text = (name: string) => values[name] as string | undefined
  const target = text('target')
  if (target === undefined) {
    const stray = ['dialect', 'provider-host', 'pid', 'settle'].find((name) => values[name] !== undefined)
    if (stray !== undefined) throw new CliError(`--${stray} is for a --target`, 2)
    return undefined
  }
  if (!URL.canParse(target))
    throw new CliError(`--target: an address such as http://localhost:4000, not '${target}'`, 2)
  const dialect = DIALECTS[text('dialect') ?? '']
  if (dialect === undefined) throw new CliError(`--dialect: one of ${Object.keys(DIALECTS).join(', ')}`, 2)
  const adminKey = environment['TARGET_ADMIN_KEY']
  if (!adminKey) throw new CliError("TARGET_ADMIN_KEY: set it to the target's admin key", 2)
  const pid = text('pid')
  return {
    ...{ dialect, adminKey, url: target.replace(/\/+$/, ''), providerHost: text('provider-host') ?? '127.0.0.1' },
    pid: pid === undefined ? null : numberOf('pid', pid),
    settleMs: numberOf('settle', text('settle') ?? '60') * 1_000,
  }
}

function numberOf(option: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new CliError(`--${option}: a whole number, not '${text}'`, 2)
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
