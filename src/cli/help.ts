import { allOptions, type Command, type OptionSpec } from './command.ts'
import { programName } from './program-name.ts'
import { formatTable } from './table.ts'
import { demoCommand } from './welcome.ts'

/** All commands, by the first word. */
export function overview(commands: readonly Command[], program = programName()): string {
  const rows = commands.map(({ name, summary }) => [`  switchyard ${name}`, summary])
  const width = Math.max(...rows.map(([first = '']) => first.length))
  const lines = rows.map(([first = '', second = '']) => `${first.padEnd(width)}   ${second}`)
  const local = commands.filter(({ isRemote }) => !isRemote).map(({ name }) => name)
  return `switchyard, a self-hosted LLM gateway

${lines.join('\n')}

  switchyard COMMAND --help   options and examples of a command
  switchyard --version        print the version

All but ${local.slice(0, -1).join(', ')} and ${local.at(-1)} talk to a running gateway:
--url or SWITCHYARD_URL (default http://127.0.0.1:8080) and the variable ADMIN_KEY or --admin-key-file.
--json prints what the API answers.
Exit codes: 0 fine, 1 failed, 2 called wrongly or bad configuration, 3 a plan has differences.

Try:  ${demoCommand(program)}
${calledHere(program)}`
}

/** Texts say `switchyard`; not everywhere is that a command. */
function calledHere(program: string): string {
  return program === 'switchyard' ? '' : `\nFor "switchyard", type here:  ${program}\n`
}

export function commandHelp(command: Command, program = programName()): string {
  const options = Object.entries(allOptions(command)).map(([name, option]) => [
    optionText(name, option),
    helpText(option),
  ])
  const table = formatTable([{ title: '' }, { title: '' }], options, { width: null, bold: (text) => text })
  return `${command.summary}

  ${usage(command)}

Options:${table
    .replace(/^.*?\n/, '\n')
    .replaceAll('\n', '\n  ')
    .trimEnd()}

Examples:
${command.examples.map((example) => `  ${example}`).join('\n')}
${calledHere(program)}`
}

export function usage(command: Command): string {
  const positionals = command.positionals.map(({ name, optional, many }) => {
    const shown = many === true ? `${name}...` : name
    return optional === true ? `[${shown}]` : shown
  })
  return ['switchyard', command.name, ...positionals, '[options]'].join(' ')
}

function optionText(name: string, { short, type, placeholder = 'VALUE' }: OptionSpec): string {
  const flag = `${short === undefined ? '    ' : `-${short}, `}--${name}`
  return type === 'string' ? `${flag} ${placeholder}` : flag
}

function helpText({ help, values, multiple }: OptionSpec): string {
  const parts = [help, values === undefined ? '' : `one of ${values.join(', ')}`, multiple === true ? 'repeatable' : '']
  return parts.filter((part) => part !== '').join('; ')
}
