// First: it hears signals from then on.
import './stop-signal.ts'
import { readFileSync } from 'node:fs'
import { ConfigError } from '../config.ts'
import { listenProblem } from '../domain/listen-problem.ts'
import { version } from '../version.ts'
import { createClient } from './api-client.ts'
import { CliError } from './cli-error.ts'
import { type Command, type Given, parseGiven, text } from './command.ts'
import { commandHelp, overview } from './help.ts'
import { createOutput } from './output.ts'

const DEFAULT_URL = 'http://127.0.0.1:8080'

/** Exit codes: 0 fine, 1 failed, 2 called wrongly or bad configuration, 3 a plan has differences. */
async function main(args: readonly string[]): Promise<number> {
  const [first] = args
  if (first === '--version' || first === '-v') return print(version())
  // The table of all commands would stay in memory for as long as it serves: 1.6 MB.
  if (first === 'serve' && args.length === 1) return (await import('./serve.ts')).serve(process.env).then(() => 0)
  const table = (await import('./commands.ts')).commands()
  if (first === undefined || first === '--help' || first === '-h' || first === 'help') return print(overview(table))
  const { command, rest } = find(args, table)
  const { values, positionals } = parseGiven(command, rest)
  if (values['help'] === true) return print(commandHelp(command))
  return (await command.run(givenFor(values, positionals))) ?? 0
}

/** The longest name that the words begin with. */
function find(args: readonly string[], table: readonly Command[]): { command: Command; rest: readonly string[] } {
  for (const length of [2, 1]) {
    const name = args.slice(0, length).join(' ')
    const command = table.find((candidate) => candidate.name === name || candidate.aliases?.includes(name))
    if (command !== undefined) return { command, rest: args.slice(length) }
  }
  const [group = ''] = args
  const members = table.filter(({ name }) => name.startsWith(`${group} `))
  if (members.length === 0) throw new CliError(`there is no command '${group}'; see switchyard --help`, 2)
  if (args[1] === undefined || args[1].startsWith('-')) {
    print(members.map(({ name, summary }) => `switchyard ${name.padEnd(20)} ${summary}`).join('\n'))
    throw args[1] === '--help' || args[1] === '-h' ? new Shown() : new CliError(`'${group}' needs one of these`, 2)
  }
  const known = members.map(({ name }) => name.slice(group.length + 1)).join(', ')
  throw new CliError(`'${group}' has ${known}, not '${args[1]}'`, 2)
}

/** Thrown when the help of a group was what was asked for. */
class Shown extends Error {}

function givenFor(values: Given['values'], positionals: readonly string[]): Given {
  const environment = process.env
  const noColor = environment['NO_COLOR'] !== undefined && environment['NO_COLOR'] !== ''
  const streams = { stdout: process.stdout, stderr: process.stderr, noColor }
  const url = text({ values }, 'url') ?? (environment['SWITCHYARD_URL'] || DEFAULT_URL)
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) throw new CliError(`${url}: expected an http:// address`, 2)
  const adminKey = () => readAdminKey(text({ values }, 'admin-key-file'), environment['ADMIN_KEY'])
  const output = createOutput(streams, values['json'] === true)
  return { values, positionals, environment, output, client: createClient({ url, adminKey }) }
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

function print(content: string): number {
  process.stdout.write(content.endsWith('\n') ? content : `${content}\n`)
  return 0
}

/** One line for what the operator can mend; the whole stack only for a fault of ours. */
function fail(error: unknown): void {
  if (error instanceof Shown) return
  const { message, exitCode } = failureOf(error)
  process.stderr.write(`switchyard: ${message}\n`)
  process.exit(exitCode)
}

function failureOf(error: unknown): { message: string; exitCode: number } {
  if (!(error instanceof Error)) return { message: String(error), exitCode: 1 }
  const { message } = error
  if (error instanceof CliError) return { message, exitCode: error.exitCode }
  if (error instanceof ConfigError) return { message, exitCode: 2 }
  const syscall = 'syscall' in error ? error.syscall : undefined
  // Names are only looked up to listen here: those of providers and databases have their own errors.
  if (syscall === 'getaddrinfo') return { message: `HOST: ${message}`, exitCode: 2 }
  // By name: the class itself would bring the whole gateway along.
  if (error.name === 'StoreError') return { message, exitCode: 1 }
  if (syscall === 'listen') return { message: listenText(error), exitCode: 1 }
  return { message: error.stack ?? message, exitCode: 1 }
}

function listenText(error: NodeJS.ErrnoException & { address?: string; port?: number }): string {
  return listenProblem(error.code, error.address ?? '', error.port ?? 0) ?? error.message
}

// Whoever reads only the beginning (`| head`) is not in error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))

main(process.argv.slice(2)).then((code) => {
  process.exitCode = code
}, fail)
