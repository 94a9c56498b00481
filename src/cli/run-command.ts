import { readFileSync } from 'node:fs'
import { createClient } from './api-client.ts'
import { CliError } from './cli-error.ts'
import { type Command, type Given, parseGiven, text } from './command.ts'
import { commands } from './commands.ts'
import { commandHelp, overview } from './help.ts'
import { createOutput } from './output.ts'
import { print } from './print.ts'
import { programName } from './program-name.ts'

const DEFAULT_URL = 'http://127.0.0.1:8080'

/** Any command; resolves with its exit code. */
export async function runCommand(args: readonly string[]): Promise<number> {
  const [first] = args
  const table = commands()
  if (first === undefined || first === '--help' || first === '-h' || first === 'help') return print(overview(table))
  const { command, rest } = findCommand(args, table)
  const { values, positionals } = parseGiven(command, rest)
  if (values['help'] === true) return print(commandHelp(command))
  return (await command.run(givenFor(values, positionals))) ?? 0
}

/** The longest name that the words begin with. */
function findCommand(
  args: readonly string[],
  table: readonly Command[],
): { command: Command; rest: readonly string[] } {
  for (const length of [2, 1]) {
    const name = args.slice(0, length).join(' ')
    const command = table.find((candidate) => candidate.name === name || candidate.aliases?.includes(name))
    if (command !== undefined) return { command, rest: args.slice(length) }
  }
  const [group = ''] = args
  const members = table.filter(({ name }) => name.startsWith(`${group} `))
  if (members.length === 0) throw new CliError(`there is no command '${group}'; see ${programName()} --help`, 2)
  if (args[1] === undefined || args[1].startsWith('-')) {
    print(members.map(({ name, summary }) => `switchyard ${name.padEnd(20)} ${summary}`).join('\n'))
    throw args[1] === '--help' || args[1] === '-h' ? new Shown() : new CliError(`'${group}' needs one of these`, 2)
  }
  const known = members.map(({ name }) => name.slice(group.length + 1)).join(', ')
  throw new CliError(`'${group}' has ${known}, not '${args[1]}'`, 2)
}

/** Thrown when the help of a group was what was asked for. */
export class Shown extends Error {
  override readonly name = 'Shown'
}

function givenFor(values: Given['values'], positionals: readonly string[]): Given {
  const environment = process.env
  const noColor = environment['NO_COLOR'] !== undefined && environment['NO_COLOR'] !== ''
  const streams = { stdout: process.stdout, stderr: process.stderr, noColor }
  const url = text({ values }, 'url') ?? (environment['SWITCHYARD_URL'] || defaultUrl(environment))
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) throw new CliError(`${url}: expected an http:// address`, 2)
  const adminKey = () => readAdminKey(text({ values }, 'admin-key-file'), environment['ADMIN_KEY'])
  const output = createOutput(streams, values['json'] === true)
  return { values, positionals, environment, output, client: createClient({ url, adminKey }) }
}

/** Beside a gateway that has its own port for us, as in its container, that one is meant. */
function defaultUrl({ ADMIN_HOST: host, ADMIN_PORT: port }: Given['environment']): string {
  if (port === undefined || port === '' || port === '0') return DEFAULT_URL
  const isEverywhere = host === undefined || host === '' || host === '0.0.0.0' || host === '::'
  return `http://${isEverywhere ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host}:${port}`
}

function readAdminKey(path: string | undefined, variable: string | undefined): string {
  const key = path === undefined ? variable : readKeyFile(path)
  if (key === undefined || key.trim() === '') {
    throw new CliError('no admin key: set ADMIN_KEY (it was printed at the first start) or use --admin-key-file', 2)
  }
  return key.trim()
}

function readKeyFile(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    throw new CliError(`--admin-key-file: ${path} cannot be read`, 2)
  }
}
