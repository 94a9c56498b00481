import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fixedPort } from '../fixed-port.ts'
import { until } from '../harness.ts'

/** Importing it takes minutes where other tests keep the machine busy. */
const LONGEST_START_MS = 600_000

export interface LitellmProxy {
  url: string
  stop(): Promise<void>
}

/** A real LiteLLM without a database, before the same simulator. */
export async function startLitellm(
  python: string,
  given: { folder: string; config: string; environment: Record<string, string> },
): Promise<LitellmProxy> {
  const path = join(given.folder, 'litellm.yaml')
  writeFileSync(path, given.config)
  const port = await fixedPort()
  const args = ['--config', path, '--port', String(port), '--host', '127.0.0.1', '--telemetry', 'False']
  const child = spawn(join(dirname(python), 'litellm'), args, {
    cwd: given.folder,
    // Without it the list of prices is fetched from the network.
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: given.folder,
      LITELLM_LOCAL_MODEL_COST_MAP: 'True',
      ...given.environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      said = (said + chunk).slice(-4_000)
    })
  }
  const url = `http://127.0.0.1:${port}`
  const answers = async () => {
    if (child.exitCode !== null) throw new Error(`LiteLLM ended: ${said}`)
    return fetch(`${url}/health/liveliness`).then(
      ({ ok }) => ok,
      () => false,
    )
  }
  await until(answers, 'LiteLLM answers', LONGEST_START_MS)
  return { url, stop: () => stop(child) }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}
