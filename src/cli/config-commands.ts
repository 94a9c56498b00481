import { stringify } from 'yaml'
import type { z } from 'zod'
import { parseFileConfig } from '../app/config.ts'
import type { FileConfig } from '../domain/file-config.ts'
import { type RunningProvider, writeLitellmConfig } from '../import/litellm/write-config.ts'
import type { ConfigChange } from '../management/contract/config.ts'
import { cell } from './cell.ts'
import { type Command, type Given, type OptionSpec, text, usageError } from './command.ts'
import { confirmed, YES } from './confirm.ts'
import { readInput } from './read-input.ts'

const FILE: OptionSpec = { type: 'string', short: 'f', placeholder: 'FILE', help: 'The configuration; - for stdin' }

type Change = z.output<typeof ConfigChange>

/** `${VAR}` is filled in here, from the environment of the command: in CI, the secrets of the build. */
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

function placeOf({ workspace, resource }: Pick<Change, 'workspace' | 'resource'>): string {
  return workspace === null || resource.startsWith('workspaces/') ? resource : `${workspace}: ${resource}`
}

function printChanges(changes: readonly Change[], { output }: Given): void {
  for (const { kind, workspace, resource, fields } of changes) {
    const line = `${SIGNS[kind]} ${kind.replace('_', ' ').padEnd(9)} ${placeOf({ workspace, resource })}`
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
  not_in_file: Pick<Change, 'workspace' | 'resource'>[]
  config_file: string | null
}

/** Only the owner changes: calls are served as before. */
function isTakeOver({ kind, fields }: Change): boolean {
  return kind === 'take_over' ? fields.length === 0 : kind === 'update' && fields.every(isOwner)
}

function isOwner({ field }: Change['fields'][number]): boolean {
  return field.endsWith('_managed_by')
}

function printOutcome({ changes, not_in_file: left, config_file: file }: Outcome, given: Given): void {
  const { output } = given
  printChanges(changes, given)
  if (left.length > 0) {
    output.line('Not in the file, left alone (--prune deletes them):')
    for (const object of left) output.line(`  ${placeOf(object)}`)
  }
  if (file !== null) {
    output.note(`note: this gateway also applies its own ${file} at every start and edit; keep the two in sync`)
  }
}

function printSummary({ changes, unchanged }: Outcome, { output }: Given, words: { none: string; some: string }): void {
  const taken = changes.filter(isTakeOver).length
  const count = changes.length - taken
  output.line(count === 0 ? words.none : `${count} ${words.some}, ${unchanged} up to date.`)
  if (taken > 0) output.line(`${taken} not managed by a file before: from then on only a file can change them.`)
}

const PLANNED = { none: 'Nothing would change.', some: 'to change' }
const APPLIED = { none: 'Nothing to change.', some: 'changed' }

const PRUNE: OptionSpec = { type: 'boolean', help: 'Also delete what an earlier file set and this one does not name' }

async function inputOf(given: Given, command: Command): Promise<ConfigInput> {
  const prune = given.values['prune'] === true ? 'true' : 'false'
  return { query: { prune }, body: await readFile(given, command) }
}

const plan: Command = {
  name: 'plan',
  summary: 'Show what a configuration file would change; exit code 3 if there are changes',
  positionals: [],
  options: { file: FILE, prune: PRUNE },
  examples: ['switchyard plan -f switchyard.yaml', 'switchyard plan -f switchyard.yaml --prune --json'],
  isRemote: true,
  async run(given) {
    const reply = await given.client.call('config.plan', await inputOf(given, plan))
    if (given.output.isJson) given.output.json(reply)
    else {
      printOutcome(reply, given)
      printSummary(reply, given, PLANNED)
    }
    return reply.changes.every(isTakeOver) ? 0 : 3
  },
}

const apply: Command = {
  name: 'apply',
  summary: 'Apply a configuration file in one transaction, after showing the plan',
  positionals: [],
  options: { file: FILE, prune: PRUNE, yes: YES },
  examples: [
    'switchyard apply -f switchyard.yaml',
    'switchyard apply -f switchyard.yaml --prune --yes',
    'switchyard export | switchyard apply -f - --yes --url http://other:8080',
  ],
  isRemote: true,
  run: async (given) => applyReviewed(given, await inputOf(given, apply)),
}

interface ConfigInput {
  query: { prune: 'true' | 'false' }
  body: FileConfig
}

/** Shows the plan, asks and applies. Resolves with the exit code: 1 where the answer was no. */
export async function applyReviewed(given: Given, input: ConfigInput): Promise<number> {
  const { output, client } = given
  const isAsked = given.values['yes'] !== true
  if (isAsked && !output.isJson) {
    const planned = await client.call('config.plan', input)
    printOutcome(planned, given)
    printSummary(planned, given, planned.changes.length === 0 ? APPLIED : PLANNED)
    if (planned.changes.length === 0) return 0
  }
  if (!(await confirmed(given, 'Apply these changes?'))) return 1
  const reply = await client.call('config.apply', input)
  if (output.isJson) output.json(reply)
  else {
    if (!isAsked) printOutcome(reply, given)
    printSummary(reply, given, APPLIED)
    for (const { name, value, workspace } of reply.created_keys) {
      output.line(`key ${name}  ${value}  (workspace ${workspace}; shown only now)`)
    }
  }
  return 0
}

/** Routes and providers, for the way back. */
async function exportLitellm(given: Given): Promise<number> {
  const { client, output } = given
  let exported = ''
  for await (const piece of await client.call('config.export', { query: { format: 'json' } })) exported += piece
  const providers: RunningProvider[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await client.call('providers.list', { query: { limit: 500, ...(cursor !== undefined && { cursor }) } })
    providers.push(...page.data)
    cursor = page.next_cursor
  }
  const { config, left } = writeLitellmConfig(JSON.parse(exported), providers, text(given, 'workspace') ?? 'default')
  if (output.isJson) output.json(config)
  else await output.piece(stringify(config, { lineWidth: 0, aliasDuplicateObjects: false }))
  for (const what of left) output.note(`not exported: ${what}`)
  return 0
}

const exportCommand: Command = {
  name: 'export',
  summary: 'Print the running configuration as a file for apply, without secrets',
  positionals: [{ name: 'FORMAT', optional: true, values: ['litellm'] }],
  options: {
    workspace: {
      type: 'string',
      short: 'w',
      placeholder: 'NAME',
      help: 'With litellm: whose routes (default: default)',
    },
  },
  examples: [
    'switchyard export > switchyard.yaml',
    'switchyard export --json',
    'switchyard export litellm > config.yaml',
  ],
  isRemote: true,
  async run(given) {
    const { client, output, positionals } = given
    if (positionals[0] === 'litellm') return exportLitellm(given)
    const format = output.isJson ? 'json' : 'yaml'
    for await (const piece of await client.call('config.export', { query: { format } })) await output.piece(piece)
    return 0
  },
}

export const configCommands: readonly Command[] = [plan, apply, exportCommand]
