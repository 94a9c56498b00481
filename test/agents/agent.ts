import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Tweak } from '../../simulator/simulator.ts'
import { launch } from '../child-process.ts'
import { runCli } from '../cli/run-cli.ts'
import { ADMIN_KEY } from '../harness.ts'
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

async function runClaudeCode(
  connection: Connection,
  folders: Folders,
  prompt: string,
  more: readonly string[] = [],
): Promise<Outing> {
  await connectTool('claude-code', connection, folders)
  const settings = { DISABLE_TELEMETRY: '1', DISABLE_ERROR_REPORTING: '1', DISABLE_AUTOUPDATER: '1' }
  const args = [...more, '--print', prompt, '--allowedTools', 'Bash,Write']
  return goOut(CLAUDE_CODE, args, folders, { ...connection.environment, ...settings })
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
  run: (connection, folders, prompt) =>
    runCodex(connection, folders, [prompt], {
      more: 'model_providers.switchyard.supports_websockets = true',
    }),
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
  run: (connection, folders, prompt) =>
    runCodex(connection, folders, [prompt], {
      tool: 'codex-base-url',
      more: `model_auto_compact_token_limit = ${COMPACTS_AT}`,
    }),
}

async function runCodex(
  connection: Connection,
  folders: Folders,
  command: readonly string[],
  { tool = 'codex', more = '' } = {},
): Promise<Outing> {
  beforeConnect(folders, '.codex/config.toml', `${more}${LONELY_CODEX}`)
  await connectTool(tool, connection, folders)
  // The folder is the sandbox: nothing but the script of this test decides what is run in it.
  const args = ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', ...command]
  return goOut(CODEX, args, folders, connection.environment)
}

/** Keeps it from contacting other hosts. */
const LONELY_CODEX = `
check_for_update_on_startup = false
project_doc_max_bytes = 1000000

[analytics]
enabled = false

[features]
plugins = false
apps = false
`

/** What a person has in the file before the gateway comes into it. */
export function beforeConnect({ home }: Folders, path: string, text: string): void {
  const file = join(home, path)
  if (existsSync(file)) return
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

/** As a person does it: the tool runs with nothing but what this writes. */
export async function connectTool(tool: string, { url, key, model }: Connection, { home }: Folders): Promise<void> {
  const args = ['connect', tool, '--model', model, '--write', '--yes', '--key-file', '-']
  const environment = { HOME: home, SWITCHYARD_URL: url, ADMIN_KEY }
  const { code, stderr } = await runCli(args, { environment, input: key })
  assert.equal(code, 0, stderr)
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
