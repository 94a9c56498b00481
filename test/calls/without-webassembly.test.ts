import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { startSimulator } from '../../simulator/simulator.ts'
import { copyProject } from '../copy-project.ts'
import { hello, KEY, until } from '../harness.ts'

/** Node strips types by WebAssembly too: only the built program runs without. */
const folder = mkdtempSync(join(tmpdir(), 'switchyard-jitless-'))
const simulator = await startSimulator()
before(() => {
  copyProject(folder)
  const build = "import { buildServer } from './scripts/build-server.ts'; await buildServer({ force: true })"
  execFileSync(process.execPath, ['--input-type=module-typescript', '-e', build], { cwd: folder, stdio: 'pipe' })
  writeFileSync(join(folder, 'switchyard.yaml'), '')
})
after(async () => {
  await simulator.close()
  rmSync(folder, { recursive: true, force: true })
})

/** What a gateway makes of large bodies: statuses, answers, and the bytes that reach the providers. */
async function largeCalls(flags: readonly string[], name: string) {
  const child = spawn(process.execPath, [...flags, 'dist/switchyard.js', 'serve'], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'] ?? '',
      ...{ PORT: '0', OVERLOAD_MS: '0', LOG_LEVEL: 'error', DATA_DIR: join(folder, name), GATEWAY_KEY: KEY },
      ...{ OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: simulator.openaiUrl },
      ...{ ANTHROPIC_API_KEY: 'sk-ant-test', ANTHROPIC_BASE_URL: simulator.anthropicUrl },
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  try {
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
    const url = () => /serves on (http:\S+)\n/.exec(output)?.[1]
    await until(() => url() !== undefined || child.exitCode !== null, 'it serves')
    assert.ok(url() !== undefined, output)
    simulator.reset()
    const answers: unknown[] = []
    for (const body of BODIES) {
      const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
      const answer = await fetch(`${url()}/v1/chat/completions`, { method: 'POST', headers, body })
      const json = (await answer.json()) as { choices?: unknown; error?: unknown }
      answers.push([answer.status, json.choices ?? json.error])
    }
    const sent = simulator.calls.filter((call) => call.method === 'POST').map((call) => call.rawBody)
    child.kill('SIGTERM')
    await once(child, 'close')
    assert.equal(child.exitCode, 0, output)
    return { answers, sent }
  } finally {
    child.kill('SIGKILL')
  }
}

const TEXT = 'Zwölf Boxkämpfer – 中文 "quoted"\n\\ 😀 \u0001'
const conversation = (model: string, times: number) =>
  JSON.stringify(hello(model, { messages: [{ role: 'user', content: TEXT.repeat(times) }], temperature: 0.5 }))
const BODIES = [
  ...['gpt-sim-echo', 'claude-sim-echo'].flatMap((model) =>
    [5, 5_000, 60_000].map((times) => conversation(model, times)),
  ),
  // No text may hold a line end as it is.
  conversation('gpt-sim-echo', 5_000).replace('\\n', '\n'),
  conversation('gpt-sim-echo', 5_000).slice(0, -1),
]

describe('without WebAssembly', () => {
  test('there is none where just-in-time compilation is switched off', () => {
    const seen = execFileSync(process.execPath, ['--jitless', '-p', 'typeof WebAssembly'], { encoding: 'utf8' })
    assert.equal(seen.trim(), 'undefined')
  })

  test('large bodies reach the providers, come back and are refused as they are with it', async () => {
    const without = await largeCalls(['--jitless'], 'without')
    const statuses = without.answers.map((answer) => (answer as [number])[0])
    assert.deepEqual(statuses, [200, 200, 200, 200, 200, 200, 400, 400])
    const usual = await largeCalls([], 'with')
    assert.ok(JSON.stringify(without) === JSON.stringify(usual))
  })
})
