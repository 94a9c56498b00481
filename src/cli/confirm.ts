import { createInterface } from 'node:readline'
import { CliError } from './cli-error.ts'
import type { Given, OptionSpec } from './command.ts'

export const YES: OptionSpec = { type: 'boolean', short: 'y', help: 'Do not ask for confirmation' }

/** Asks on a terminal; a script must say --yes. */
export async function confirmed({ values, output }: Given, question: string): Promise<boolean> {
  if (values['yes'] === true) return true
  if (output.isJson || !process.stdin.isTTY || !process.stderr.isTTY) {
    throw new CliError('nothing was changed: there is no terminal to ask on. Add --yes to confirm', 2)
  }
  const isYes = await ask(`${question} [y/N] `)
  if (!isYes) output.note('Nothing was changed.')
  return isYes
}

function ask(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  return new Promise((resolve) => {
    // Ctrl-C and Ctrl-D close it without an answer.
    terminal.once('close', () => resolve(false))
    terminal.question(question, (answer) => {
      resolve(/^y(es)?$/i.test(answer.trim()))
      terminal.close()
    })
  })
}
