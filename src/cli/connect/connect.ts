import { AGENT_SETUPS, type AgentSetup } from '../../domain/wording/agent-setups.ts'
import { shellWord } from '../../domain/wording/shell-word.ts'
import { CONTRACT } from '../../management/contract/contract.ts'
import { KeyWithValue } from '../../management/contract/keys.ts'
import { CliError } from '../cli-error.ts'
import { type Command, type Given, text } from '../command.ts'
import { YES } from '../confirm.ts'
import { LIMIT_OPTIONS, withNewLimits } from '../limit-options.ts'
import { programName } from '../program-name.ts'
import { readInput } from '../read-input.ts'
import { type KeySource, writeSettings } from './write-settings.ts'
import { WRITTEN_SETUPS } from './written-agent-setups.ts'

const KEY_PLACEHOLDER = '<GATEWAY_KEY>'

export const connect: Command = {
  name: 'connect',
  summary: 'Print or write the settings of a coding agent; without TOOL, list the tools',
  positionals: [{ name: 'TOOL', optional: true, values: AGENT_SETUPS.map(({ name }) => name) }],
  options: {
    workspace: {
      type: 'string',
      short: 'w',
      placeholder: 'NAME',
      help: 'Workspace of the routes and key (default: default)',
    },
    model: {
      type: 'string',
      placeholder: 'ALIAS',
      help: 'Route alias to use (default: the first that suits the tool)',
    },
    'new-key': { type: 'string', placeholder: 'NAME', help: 'Create a key with this name and print it once' },
    ...LIMIT_OPTIONS,
    write: { type: 'boolean', help: "Edit the tool's own file, after asking; keeps a backup beside it" },
    'key-file': {
      type: 'string',
      placeholder: 'FILE',
      help: 'With --write: file with the gateway key to use, - for standard input',
    },
    yes: YES,
    oidc: {
      type: 'string',
      placeholder: 'ISSUER',
      help: 'Tokens of this identity provider instead of a key, by a helper',
    },
    'client-id': {
      type: 'string',
      placeholder: 'ID',
      help: 'With --oidc: a public client there, with the device flow',
    },
    scope: { type: 'string', placeholder: 'SCOPES', help: 'With --oidc: what the helper asks for' },
    audience: { type: 'string', placeholder: 'AUDIENCE', help: 'With --oidc: whom the tokens are for' },
    'gateway-url': {
      type: 'string',
      placeholder: 'URL',
      help: 'Address for the tool, if it differs from the management API',
    },
  },
  examples: [
    `switchyard connect ${AGENT_SETUPS[0]?.name}`,
    'switchyard connect codex --workspace agents --new-key codex-anna --budget 20/month',
    'switchyard connect codex --write --new-key codex-anna',
    `switchyard connect ${AGENT_SETUPS[0]?.name} --oidc https://login.example.com --client-id agents`,
  ],
  isRemote: true,
  run,
}

async function run(given: Given): Promise<number> {
  const { client, output, positionals } = given
  const setup = AGENT_SETUPS.find(({ name }) => name === positionals[0])
  if (setup === undefined) return listTools(given)
  const workspace = text(given, 'workspace') ?? 'default'
  const name = text(given, 'new-key')
  const limit = Object.keys(LIMIT_OPTIONS).find((option) => text(given, option) !== undefined)
  if (name === undefined && limit !== undefined) {
    throw new CliError(`connect: --${limit} is for a new key; name it with --new-key`, 2)
  }
  const helper = helperOf(given, setup)
  checkWrite(given)
  const model = text(given, 'model') ?? (await fittingAlias(setup, workspace, given))
  const isStreaming = await streams(workspace, given)
  const url = (text(given, 'gateway-url') ?? client.url).replace(/\/+$/, '')
  const written = given.values['write'] === true ? WRITTEN_SETUPS[setup.name] : undefined
  if (written !== undefined) {
    const key = name === undefined ? await givenKey(given) : laterKey(name, workspace, given)
    const reply = await writeSettings(given, { setup, written, url, model, key })
    if (reply === null) return 1
    if (output.isJson) output.json({ tool: setup.name, workspace, url, model, ...reply })
    sayStreaming(given, setup, workspace, isStreaming)
    return 0
  }
  // Last: nothing is made where something else is wrong.
  const key = name === undefined ? KEY_PLACEHOLDER : await newKey(name, workspace, given)
  const lines =
    helper === null ? setup.lines({ url, key, model }) : (setup.helperLines?.({ url, model, command: helper }) ?? '')
  if (given.values['write'] === true) {
    output.note(`${setup.title} has no file of settings that can be written. Put this there by hand.`)
  }
  if (output.isJson) {
    output.json({ tool: setup.name, workspace, url, model, key: name === undefined ? null : key, lines })
    return 0
  }
  output.note(`${setup.title}, ${helper === null ? setup.place : setup.helperPlace}:\n`)
  output.line(lines)
  for (const note of setup.notes) output.note(`\n${note}`)
  if (helper !== null)
    output.note(`\nSign in once: ${[programName(), ...helper.slice(1).map(shellWord), '--login'].join(' ')}`)
  else if (name === undefined)
    output.note(`\nReplace ${KEY_PLACEHOLDER} with a gateway key, or create one: --new-key NAME`)
  sayStreaming(given, setup, workspace, isStreaming)
  return 0
}

function sayStreaming({ output }: Given, setup: AgentSetup, workspace: string, isStreaming: boolean): void {
  if (!setup.needsStreams || isStreaming) return
  output.note(
    `\n${output.bad(`Streaming is off in workspace '${workspace}'`)}, and ${setup.name} needs it. Turn it on: ${programName()} workspaces update ${workspace} --streaming true`,
  )
}

function checkWrite(given: Given): void {
  const isWriting = given.values['write'] === true
  const [keyFile, newName, issuer] = ['key-file', 'new-key', 'oidc'].map((name) => text(given, name))
  if (!isWriting && keyFile !== undefined) throw new CliError('connect: --key-file is for --write', 2)
  if (!isWriting && given.values['yes'] === true) throw new CliError('connect: --yes is for --write', 2)
  if (isWriting && issuer !== undefined) throw new CliError('connect: --write writes keys; with --oidc, paste', 2)
  if (keyFile !== undefined && newName !== undefined) {
    throw new CliError('connect: --key-file or --new-key, not both', 2)
  }
}

/** That of the file. */
async function givenKey(given: Given): Promise<KeySource | null> {
  const path = text(given, 'key-file')
  if (path === undefined) return null
  const key = (await readInput(path)).trim()
  if (!/^[\w.-]+$/.test(key)) throw new CliError('connect: --key-file does not hold a gateway key', 2)
  return { preview: key, value: async () => key }
}

function laterKey(name: string, workspace: string, given: Given): KeySource {
  return { preview: 'gw_live_preview', value: () => newKey(name, workspace, given) }
}

/** The command that prints a token each time; null: a key is used. */
function helperOf(given: Given, setup: AgentSetup): string[] | null {
  const issuer = text(given, 'oidc')
  const [clientId, scope, audience] = ['client-id', 'scope', 'audience'].map((name) => text(given, name))
  if (issuer === undefined) return null
  if (setup.helperLines === undefined) throw new CliError(`connect: ${setup.title} calls no helper: give it a key`, 2)
  if (clientId === undefined) throw new CliError('connect: --oidc also needs --client-id', 2)
  if (text(given, 'new-key') !== undefined) throw new CliError('connect: --oidc needs no key: leave out --new-key', 2)
  const named = Object.entries({ issuer, 'client-id': clientId, scope, audience })
  return ['switchyard', 'token', ...named.flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value]))]
}

function listTools({ output }: Given): number {
  if (output.isJson) output.json(AGENT_SETUPS.map(({ name, title }) => ({ tool: name, title })))
  else for (const { name, title } of AGENT_SETUPS) output.line(`${programName()} connect ${name.padEnd(12)}  ${title}`)
  return 0
}

async function fittingAlias(setup: AgentSetup, workspace: string, { client }: Given): Promise<string> {
  const { data } = await client.call('routes.list', { query: { workspace, limit: 200 } })
  const aliases = data.map(({ alias }) => alias)
  const chosen = aliases.find((alias) => alias.includes(setup.modelHint ?? '')) ?? aliases[0]
  if (chosen !== undefined) return chosen
  throw new CliError(
    `workspace '${workspace}' has no routes. Create one (${programName()} routes put --help), or name a model with --model`,
    1,
  )
}

async function streams(workspace: string, { client }: Given): Promise<boolean> {
  const { streaming } = await client.call('workspaces.get', { params: { name: workspace } })
  return streaming ?? (await client.call('status.get')).streaming
}

async function newKey(name: string, workspace: string, given: Given): Promise<string> {
  const input = await withNewLimits(given, { params: {}, query: { workspace }, body: { name } })
  const { value } = KeyWithValue.parse(await given.client.callAny(CONTRACT['keys.create'], input))
  return value
}
