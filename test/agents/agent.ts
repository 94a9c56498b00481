import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Tweak } from '../../simulator/simulator.ts'
import { AGENT_SETUPS } from '../../src/domain/wording/agent-setups.ts'
import { launch } from '../child-process.ts'
import { AGENTS_FOLDER } from './install.ts'
import type { Way } from './yard.ts'

/** An agent's settings for the gateway. */
export interface Connection {
  url: string
  key: string
  model: string
  environment: Record<string, string>
}

/** Where it works and what counts as its home; both are empty. */
export interface Folders {
  home: string
  work: string
}

export interface Outing {
  code: number | null
  /** Both outputs. */
  output: string
}

export interface Agent {
  name: string
  endpoint: string
  /** The file of the work folder that becomes part of every prompt. */
  memory: string
  /** The task as the model plays it: two tool turns, then the answer. */
  turns(workFolder: string, way: Way): Tweak[]
  /** One turn for each call: its conversation loses the results of tools. */
  follows?: 'calls'
  run(connection: Connection, folders: Folders, prompt: string): Promise<Outing>
  /** The conversation that was run last in these folders. */
  goOn?(connection: Connection, folders: Folders, prompt: string): Promise<Outing>
}

/** A command and its first arguments. */
type Command = readonly [command: string, ...args: string[]]
export const program = (path: string): Command => [join(AGENTS_FOLDER, path)]
export const script = (path: string): Command => [process.execPath, join(AGENTS_FOLDER, path)]

const CLAUDE_CODE = script('node_modules/@anthropic-ai/claude-code/cli-wrapper.cjs')
const CODEX = script('node_modules/@openai/codex/bin/codex.js')

export const NOTE = 'the points are set\n'
export const ANSWER = 'The note says: the points are set.'
const COPY = 'tee -a copy.txt < note.txt'

export const claudeCode: Agent = {
  name: 'Claude Code',
  endpoint: 'messages',
  memory: 'CLAUDE.md',
  turns: (workFolder) => [
    {
      text: 'I write it.',
      calls: [{ name: 'Write', input: { file_path: join(workFolder, 'note.txt'), content: NOTE } }],
    },
    { calls: [{ name: 'Bash', input: { command: COPY, description: 'Read the note' } }] },
    { text: ANSWER },
  ],
  run: (connection, folders, prompt) => runClaudeCode(connection, folders, prompt),
  goOn: (connection, folders, prompt) => runClaudeCode(connection, folders, prompt, ['--continue']),
}

function runClaudeCode(connection: Connection, folders: Folders, prompt: string, more: readonly string[] = []) {
  const { environment, ...gateway } = connection
  const settings = {
    ...exported(linesFor('claude-code', gateway)),
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_AUTOUPDATER: '1',
  }
  const args = [...more, '--print', prompt, '--allowedTools', 'Bash,Write']
  return goOut(CLAUDE_CODE, args, folders, { ...environment, ...settings })
}

export const codex: Agent = {
  name: 'Codex',
  endpoint: 'responses',
  memory: 'AGENTS.md',
  turns: () => [
    {
      text: 'I write it.',
      thinking: 'First the note, then a look at it.',
      calls: [{ name: 'apply_patch', input: `*** Begin Patch\n*** Add File: note.txt\n+${NOTE}*** End Patch` }],
    },
    { calls: [{ name: 'exec_command', input: { cmd: COPY } }] },
    { text: ANSWER },
  ],
  run: (connection, folders, prompt) => runCodex(connection, folders, [prompt]),
  goOn: (connection, folders, prompt) => runCodex(connection, folders, ['resume', '--last', prompt]),
}

/** It believes that the gateway takes WebSockets, as it does where it takes it for OpenAI. */
export const webSocketCodex: Agent = {
  ...codex,
  name: 'Codex that asks for a WebSocket',
  run: (connection, folders, prompt) => runCodex(connection, folders, [prompt], 'supports_websockets = true'),
}

/** Far more than its first prompt, far less than its usage says after the first turn. */
const COMPACTS_AT = 40_000
export const BIG_TURN = { prompt: 60_000, completion: 100 }

/** It has only another base URL, takes the gateway for OpenAI, and has its conversation replaced in the middle of the task. */
export const compactingCodex: Agent = {
  ...codex,
  name: 'Codex that compacts',
  follows: 'calls',
  turns(workFolder, way) {
    const [first = {}, ...rest] = codex.turns(workFolder, way)
    return [{ ...first, exactUsage: BIG_TURN }, ...rest]
  },
  run({ url, key, model, environment }, { home, work }, prompt) {
    mkdirSync(join(home, '.codex'))
    const settings = [
      `openai_base_url = "${url}/v1"`,
      `model = "${model}"`,
      `model_auto_compact_token_limit = ${COMPACTS_AT}`,
      'check_for_update_on_startup = false',
      '[analytics]\nenabled = false\n[features]\nplugins = false\napps = false\n',
    ]
    writeFileSync(join(home, '.codex/config.toml'), settings.join('\n'))
    const args = ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', prompt]
    return goOut(CODEX, args, { home, work }, { ...environment, OPENAI_API_KEY: key, CODEX_API_KEY: key })
  },
}

function runCodex(
  { environment, ...gateway }: Connection,
  { home, work }: Folders,
  command: readonly string[],
  more = '',
) {
  mkdirSync(join(home, '.codex'), { recursive: true })
  writeFileSync(join(home, '.codex/config.toml'), codexConfig(gateway, more))
  // The folder is the sandbox: nothing but the script of this test decides what is run in it.
  const args = ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', ...command]
  return goOut(CODEX, args, { home, work }, { ...environment, SWITCHYARD_KEY: gateway.key })
}

/** What `switchyard connect` prints, plus settings that keep it from contacting other hosts. */
function codexConfig(connection: Omit<Connection, 'environment'>, more: string): string {
  return `check_for_update_on_startup = false
project_doc_max_bytes = 1000000
${linesFor('codex', connection)}
${more}

[analytics]
enabled = false

[features]
plugins = false
apps = false
`
}

export function linesFor(name: string, connection: Omit<Connection, 'environment'>): string {
  const setup = AGENT_SETUPS.find((candidate) => candidate.name === name)
  if (setup === undefined) throw new Error(`switchyard connect does not know ${name}`)
  return setup.lines(connection)
}

/** The variables that these lines set in a shell. */
export function exported(lines: string): Record<string, string> {
  const settings = [...lines.matchAll(/^export (\w+)='?([^'\n]*)'?$/gm)]
  return Object.fromEntries(settings.map(([, name, value]) => [name, value]))
}

/** The same task in Codex's code mode: its tools come within the input, in groups, and one of them takes a program. */
export const codeMode: Agent = {
  ...codex,
  name: 'Codex in code mode',
  turns(_, { path }) {
    // A format without groups has their names before those of the tools.
    const name = path === '/v1/responses' ? 'exec' : 'functions__exec'
    const run = (command: string) => `text(await tools.exec_command(${JSON.stringify({ cmd: command })}))`
    return [
      { calls: [{ name, input: run(`printf '${NOTE}' > note.txt`) }] },
      { calls: [{ name, input: run(COPY) }] },
      { text: ANSWER },
    ]
  },
}

/** With nothing of our environment but where programs are. */
export async function goOut(
  [command, ...first]: Command,
  args: string[],
  { home, work }: Folders,
  environment: Record<string, string>,
): Promise<Outing> {
  const child = launch({
    command,
    args: [...first, ...args],
    cwd: work,
    env: { ...environment, HOME: home },
  })
  let output = ''
  const keep = (chunk: Buffer) => {
    output += chunk.toString('utf8')
  }
  child.stdout?.on('data', keep)
  child.stderr?.on('data', keep)
  await once(child, 'close')
  return { code: child.exitCode, output }
}
