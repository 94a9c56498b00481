import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Tweak } from '../../simulator/simulator.ts'
import { launch } from '../child-process.ts'
import { AGENTS_FOLDER } from './install.ts'

/** What an agent is told about the gateway. */
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
  /** The task as the model plays it: two tool turns, then the answer. */
  turns(workFolder: string): Tweak[]
  run(connection: Connection, folders: Folders, prompt: string): Promise<Outing>
}

const PATHS = {
  claudeCode: 'node_modules/@anthropic-ai/claude-code/cli-wrapper.cjs',
  codex: 'node_modules/@openai/codex/bin/codex.js',
}

export const NOTE = 'the points are set\n'
export const ANSWER = 'The note says: the points are set.'
const COPY = 'tee -a copy.txt < note.txt'

export const claudeCode: Agent = {
  name: 'Claude Code',
  endpoint: 'messages',
  turns: (workFolder) => [
    {
      text: 'I write it.',
      calls: [{ name: 'Write', input: { file_path: join(workFolder, 'note.txt'), content: NOTE } }],
    },
    { calls: [{ name: 'Bash', input: { command: COPY, description: 'Read the note' } }] },
    { text: ANSWER },
  ],
  run({ url, key, model, environment }, folders, prompt) {
    const settings = {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_AUTH_TOKEN: key,
      ANTHROPIC_MODEL: model,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
      DISABLE_AUTOUPDATER: '1',
    }
    const args = ['--print', prompt, '--allowedTools', 'Bash,Write']
    return goOut(PATHS.claudeCode, args, folders, { ...environment, ...settings })
  },
}

export const codex: Agent = {
  name: 'Codex',
  endpoint: 'responses',
  turns: () => [
    {
      text: 'I write it.',
      thinking: 'First the note, then a look at it.',
      calls: [{ name: 'apply_patch', input: `*** Begin Patch\n*** Add File: note.txt\n+${NOTE}*** End Patch` }],
    },
    { calls: [{ name: 'exec_command', input: { cmd: COPY } }] },
    { text: ANSWER },
  ],
  run({ url, key, model, environment }, folders, prompt) {
    mkdirSync(join(folders.home, '.codex'))
    writeFileSync(join(folders.home, '.codex/config.toml'), codexConfig(url, model))
    // The folder is the sandbox: nothing but the script of this test decides what is run in it.
    const args = ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', prompt]
    return goOut(PATHS.codex, args, folders, { ...environment, SWITCHYARD_KEY: key })
  },
}

/** Besides the provider: nothing is asked of, or told to, anybody else. */
function codexConfig(url: string, model: string): string {
  return `model = "${model}"
model_provider = "switchyard"
check_for_update_on_startup = false

[model_providers.switchyard]
name = "Switchyard"
base_url = "${url}/v1"
env_key = "SWITCHYARD_KEY"
wire_api = "responses"

[analytics]
enabled = false

[features]
plugins = false
apps = false
`
}

/** With nothing of our environment but where programs are. */
async function goOut(
  path: string,
  args: string[],
  { home, work }: Folders,
  environment: Record<string, string>,
): Promise<Outing> {
  const child = launch({
    command: process.execPath,
    args: [join(AGENTS_FOLDER, path), ...args],
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
