import { CONTRACT } from '../management/contract/contract.ts'
import { KeyWithValue } from '../management/contract/keys.ts'
import { AGENT_SETUPS, type AgentSetup } from './agent-setups.ts'
import { CliError } from './cli-error.ts'
import { type Command, type Given, text } from './command.ts'
import { LIMIT_OPTIONS, withNewLimits } from './limit-options.ts'
import { programName } from './program-name.ts'

const KEY_PLACEHOLDER = '<GATEWAY_KEY>'

export const connect: Command = {
  name: 'connect',
  summary: 'Print what a coding agent must be told of this gateway',
  positionals: [{ name: 'TOOL', values: AGENT_SETUPS.map(({ name }) => name) }],
  options: {
    workspace: { type: 'string', short: 'w', placeholder: 'NAME', help: 'Whose routes and key; else default' },
    model: { type: 'string', placeholder: 'ALIAS', help: 'The alias to use; else the first that fits the tool' },
    'new-key': { type: 'string', placeholder: 'NAME', help: 'Make a key of this name, and print it once' },
    ...LIMIT_OPTIONS,
    'gateway-url': {
      type: 'string',
      placeholder: 'URL',
      help: 'Address that the tool uses, where it is not that of the management API',
    },
  },
  examples: [
    `switchyard connect ${AGENT_SETUPS[0]?.name}`,
    'switchyard connect codex --workspace agents --new-key codex-anna --budget 20/month',
  ],
  isRemote: true,
  run,
}

async function run(given: Given): Promise<number> {
  const { client, output, positionals } = given
  const setup = AGENT_SETUPS.find(({ name }) => name === positionals[0])
  if (setup === undefined) throw new CliError('connect: TOOL is missing', 2)
  const workspace = text(given, 'workspace') ?? 'default'
  const name = text(given, 'new-key')
  const limit = Object.keys(LIMIT_OPTIONS).find((option) => text(given, option) !== undefined)
  if (name === undefined && limit !== undefined) {
    throw new CliError(`connect: --${limit} is for a new key; name it with --new-key`, 2)
  }
  const model = text(given, 'model') ?? (await fittingAlias(setup, workspace, given))
  const isStreaming = await streams(workspace, given)
  // Last: nothing is made where something else is wrong.
  const key = name === undefined ? KEY_PLACEHOLDER : await newKey(name, workspace, given)
  const url = (text(given, 'gateway-url') ?? client.url).replace(/\/+$/, '')
  const lines = setup.lines({ url, key, model })
  if (output.isJson) {
    output.json({ tool: setup.name, workspace, url, model, key: name === undefined ? null : key, lines })
    return 0
  }
  output.note(`${setup.title}, ${setup.place}:\n`)
  output.line(lines)
  for (const note of setup.notes) output.note(`\n${note}`)
  if (name === undefined) output.note(`\nPut a gateway key in place of ${KEY_PLACEHOLDER}, or make one: --new-key NAME`)
  if (setup.needsStreams && !isStreaming) {
    output.note(
      `\n${output.bad(`Streaming is off in workspace '${workspace}'`)}, and ${setup.title} only asks for streams. Switch it on: ${programName()} workspaces update ${workspace} --streaming true`,
    )
  }
  return 0
}

async function fittingAlias(setup: AgentSetup, workspace: string, { client }: Given): Promise<string> {
  const { data } = await client.call('routes.list', { query: { workspace, limit: 200 } })
  const aliases = data.map(({ alias }) => alias)
  const chosen = aliases.find((alias) => alias.includes(setup.modelHint ?? '')) ?? aliases[0]
  if (chosen !== undefined) return chosen
  throw new CliError(
    `workspace '${workspace}' has no route. Make one (${programName()} routes put --help), or name a model with --model`,
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
