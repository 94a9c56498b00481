import { allOptions, type Command, type OptionSpec } from './command.ts'
import { programName } from './program-name.ts'
import { formatTable } from './table.ts'
import { demoCommand } from './welcome.ts'

/** The first words of all commands, as the help groups them. */
const GROUPS: readonly { heading: string; words: readonly string[] }[] = [
  { heading: 'Get started', words: ['demo', 'serve', 'doctor', 'prove', 'connect', 'token', 'try'] },
  { heading: 'Configure', words: ['keys', 'routes', 'providers', 'workspaces', 'registry', 'catalog'] },
  { heading: 'Configure with a file', words: ['plan', 'apply', 'export', 'import'] },
  {
    heading: 'Observe',
    words: ['requests', 'usage', 'loops', 'budgets', 'raises', 'performance', 'explain', 'feed', 'status'],
  },
  {
    heading: 'Reconcile',
    words: ['reconcile', 'reports', 'report-models', 'report-accounts', 'corrections', 'months', 'close'],
  },
  { heading: 'Alerts', words: ['alerts', 'alert-rules', 'alert-channels', 'alert-deliveries'] },
  {
    heading: 'People and access',
    words: [
      'people',
      'invites',
      'token-issuers',
      'key-templates',
      'my-keys',
      'sessions',
      'admin-keys',
      'audit',
      'history',
      'restore',
    ],
  },
  { heading: 'Operate', words: ['verify', 'nodes', 'secrets', 'backup', 'migrate', 'compare', 'spool', 'completion'] },
]

export function overview(commands: readonly Command[], program = programName()): string {
  const groups = GROUPS.map(({ heading, words }) => {
    const lines = words.map((word) => `  ${word.padEnd(WIDTH)}  ${lineOf(word, commands)}`)
    return `${heading}\n${lines.join('\n')}`
  })
  const local = commands.filter(({ isRemote }) => !isRemote).map(({ name }) => name)
  return `switchyard, a self-hosted LLM gateway

${groups.join('\n\n')}

  switchyard COMMAND --help   options and examples
  switchyard --version        print the version

All but ${local.slice(0, -1).join(', ')} and ${local.at(-1)} talk to a running gateway:
--url or SWITCHYARD_URL (default http://127.0.0.1:8080) and the variable ADMIN_KEY or --admin-key-file.
--json prints the API reply.
Exit codes: 0 success, 1 failure, 2 usage or configuration error, 3 the plan has changes.

Try:  ${demoCommand(program)}
${calledHere(program)}`
}

const WIDTH = Math.max(...GROUPS.flatMap(({ words }) => words.map((word) => word.length)))

/** The summary of a command; of a group, the words that can follow. */
function lineOf(word: string, commands: readonly Command[]): string {
  const alone = commands.find(({ name }) => name === word)
  const next = commands.flatMap(({ name }) => (name.startsWith(`${word} `) ? [name.slice(word.length + 1)] : []))
  if (alone === undefined) return next.join(', ')
  return next.length === 0 ? alone.summary : `${alone.summary} (also: ${next.join(', ')})`
}

/** Texts say `switchyard`, which is not a command in every setup. */
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
