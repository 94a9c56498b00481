import { type ParseArgsConfig, parseArgs } from 'node:util'
import type { Environment } from '../app/config.ts'
import type { AnyInput, ApiClient } from './api-client.ts'
import { CliError } from './cli-error.ts'
import type { Output } from './output.ts'

export interface OptionSpec {
  type: 'string' | 'boolean'
  short?: string
  /** May be given several times. */
  multiple?: boolean
  /** `NAME`, `DURATION`: what follows it in the help. */
  placeholder?: string
  help: string
  /** What it can be, where that is a list; for completion too. */
  values?: readonly string[]
}

export interface Positional {
  name: string
  optional?: boolean
  many?: boolean
  values?: readonly string[]
}

/** One command: dispatch, help, completion and docs/cli.md are all read off these rows. */
export interface Command {
  /** `keys create` */
  name: string
  /** Other names it answers to. */
  aliases?: readonly string[]
  summary: string
  positionals: readonly Positional[]
  options: Readonly<Record<string, OptionSpec>>
  /** Lines that work as pasted. */
  examples: readonly string[]
  /** Talks to a running gateway; so it takes --url, --admin-key-file and --json. */
  isRemote: boolean
  /** Resolves with the exit code; nothing means 0. */
  run(given: Given): Promise<number | undefined>
}

type Value = string | boolean | (string | boolean)[] | undefined

export interface Given {
  values: Readonly<Record<string, Value>>
  positionals: readonly string[]
  environment: Environment
  output: Output
  client: ApiClient
}

/** What a command has beyond its operation. */
export interface Refinement {
  /** Where it is not derived from the operation's name. */
  name?: string
  aliases?: readonly string[]
  examples: readonly string[]
  options?: Readonly<Record<string, OptionSpec>>
  positionals?: readonly Positional[]
  /** What the extra options and arguments mean, in the operation's terms. */
  refine?(given: Given, input: AnyInput): AnyInput | Promise<AnyInput>
  /** Shows what will happen and asks; false ends the command before anything is changed. */
  confirm?(given: Given, input: AnyInput): Promise<boolean>
  /** The columns of its table, where not every field is worth one. */
  columns?: readonly string[]
  /** Options of the operation that are not offered. */
  omit?: readonly string[]
  print?(reply: never, given: Given): void
  /** Where it is done only with the last page: all of them as one answer, and how far it has come. */
  merge?: { pages(earlier: never, later: never): unknown; progress(sofar: never): string }
  /** Where an answer can mean no. */
  exitCode?(reply: never): number
}

export const REMOTE_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  url: {
    type: 'string',
    placeholder: 'URL',
    help: 'Address of the gateway; else $SWITCHYARD_URL, else http://127.0.0.1:8080 or $ADMIN_PORT',
  },
  'admin-key-file': {
    type: 'string',
    placeholder: 'FILE',
    help: 'File with the admin key; else the variable ADMIN_KEY',
  },
  json: { type: 'boolean', help: 'Print the API reply as JSON' },
}

export const HELP_OPTION: Readonly<Record<string, OptionSpec>> = {
  help: { type: 'boolean', short: 'h', help: 'Print this help' },
}

export function allOptions(command: Command): Record<string, OptionSpec> {
  return { ...command.options, ...(command.isRemote ? REMOTE_OPTIONS : {}), ...HELP_OPTION }
}

/** What follows the command's name; throws a usage error that names what is wrong. */
export function parseGiven(command: Command, args: readonly string[]): Pick<Given, 'values' | 'positionals'> {
  const options: NonNullable<ParseArgsConfig['options']> = Object.fromEntries(
    Object.entries(allOptions(command)).map(([name, { type, short, multiple }]) => [
      name,
      { type, ...(short !== undefined && { short }), ...(multiple === true && { multiple }) },
    ]),
  )
  const { values, positionals } = parse(command, args, options)
  if (values['help'] !== true) checkPositionals(command, positionals)
  return { values, positionals }
}

function parse(command: Command, args: readonly string[], options: NonNullable<ParseArgsConfig['options']>) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    const message = error instanceof Error ? error.message.split('. ')[0] : String(error)
    throw usageError(command, message ?? 'unreadable arguments')
  }
}

function checkPositionals(command: Command, given: readonly string[]): void {
  const needed = command.positionals.filter((positional) => positional.optional !== true)
  const missing = needed[given.length]
  if (given.length < needed.length && missing !== undefined) throw usageError(command, `${missing.name} is missing`)
  const most = command.positionals.some((positional) => positional.many === true)
    ? Number.POSITIVE_INFINITY
    : command.positionals.length
  if (given.length > most) throw usageError(command, `takes no argument '${given[most]}'`)
  for (const [index, { name, values }] of command.positionals.entries()) {
    const value = given[index]
    if (value !== undefined && values !== undefined && !values.includes(value)) {
      throw usageError(command, `${name} is one of ${values.join(', ')}, not '${value}'`)
    }
  }
}

export function usageError(command: { name: string }, message: string): CliError {
  return new CliError(`${command.name}: ${message}; see switchyard ${command.name} --help`, 2)
}

/** A text option; of a repeated one the last counts. */
export function text({ values }: Pick<Given, 'values'>, name: string): string | undefined {
  const value = values[name]
  const last = Array.isArray(value) ? value.at(-1) : value
  return typeof last === 'string' ? last : undefined
}

export function texts({ values }: Pick<Given, 'values'>, name: string): string[] {
  const value = values[name]
  if (value === undefined) return []
  return (Array.isArray(value) ? value : [value]).filter((item) => typeof item === 'string')
}
