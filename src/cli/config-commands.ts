import type { z } from 'zod'
import { parseFileConfig } from '../app/config.ts'
import type { FileConfig } from '../domain/file-config.ts'
import type { ConfigChange } from '../management/contract/config.ts'
import { cell } from './cell.ts'
import { type Command, type Given, type OptionSpec, text, usageError } from './command.ts'
import { readInput } from './read-input.ts'

const FILE: OptionSpec = { type: 'string', short: 'f', placeholder: 'FILE', help: 'The configuration; - for stdin' }

type Change = z.output<typeof ConfigChange>

/** `${VAR}` is filled in here, from the environment of whoever runs the command: a build's secrets count. */
async function readFile(given: Given, command: Command): Promise<FileConfig> {
  const path = text(given, 'file')
  if (path === undefined) throw usageError(command, '-f FILE is missing')
  return parseFileConfig(await readInput(path), path === '-' ? 'standard input' : path, given.environment)
}

const SIGNS: Readonly<Record<Change['kind'], string>> = {
  create: '+',
  update: '~',
  delete: '-',
  take_over: '»',
  release: '«',
}

function printChanges(changes: readonly Change[], { output }: Given): void {
  for (const { kind, workspace, resource, fields } of changes) {
    const place = workspace === null || resource.startsWith('workspaces/') ? resource : `${workspace}: ${resource}`
    const line = `${SIGNS[kind]} ${kind.replace('_', ' ').padEnd(9)} ${place}`
    output.line(kind === 'delete' ? output.bad(line) : kind === 'create' ? output.good(line) : line)
    if (kind === 'delete') continue
    for (const { field, before, after } of fields) {
      output.line(`    ${field}: ${kind === 'create' ? '' : `${cell(before)} → `}${cell(after)}`)
    }
  }
}

interface Outcome {
  changes: Change[]
  unchanged: number
  config_file: string | null
}

function print(reply: Outcome, given: Given, words: { none: string; some: string }, more: string[] = []): void {
  const { output } = given
  if (output.isJson) {
    output.json(reply)
    return
  }
  const { changes, unchanged, config_file: file } = reply
  printChanges(changes, given)
  output.line(changes.length === 0 ? words.none : `${changes.length} ${words.some}, ${unchanged} up to date.`)
  for (const line of more) output.line(line)
  if (file !== null)
    output.note(`note: this gateway also applies its own ${file} at every start and edit; keep the two in sync`)
}

const plan: Command = {
  name: 'plan',
  summary: 'Show what a configuration file would change; exit code 3 if there are changes',
  positionals: [],
  options: { file: FILE },
  examples: ['switchyard plan -f switchyard.yaml', 'switchyard plan -f switchyard.yaml --json'],
  isRemote: true,
  async run(given) {
    const reply = await given.client.call('config.plan', { body: await readFile(given, plan) })
    print(reply, given, { none: 'Nothing would change.', some: 'to change' })
    return reply.changes.length === 0 ? 0 : 3
  },
}

const apply: Command = {
  name: 'apply',
  summary: 'Apply a configuration file in one transaction',
  positionals: [],
  options: { file: FILE },
  examples: [
    'switchyard apply -f switchyard.yaml',
    'switchyard export | switchyard apply -f - --url http://other:8080',
  ],
  isRemote: true,
  async run(given) {
    const reply = await given.client.call('config.apply', { body: await readFile(given, apply) })
    const { created_keys: keys } = reply
    const made = keys.map(
      ({ name, value, workspace }) => `key ${name}  ${value}  (workspace ${workspace}; shown only now)`,
    )
    print(reply, given, { none: 'Nothing to change.', some: 'changed' }, made)
    return 0
  },
}

const exportCommand: Command = {
  name: 'export',
  summary: 'Print the running configuration as a file that can be applied, without secrets',
  positionals: [],
  options: {},
  examples: ['switchyard export > switchyard.yaml', 'switchyard export --json'],
  isRemote: true,
  async run({ client, output }) {
    const format = output.isJson ? 'json' : 'yaml'
    for await (const piece of await client.call('config.export', { query: { format } })) await output.piece(piece)
    return 0
  },
}

export const configCommands: readonly Command[] = [plan, apply, exportCommand]
