import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { killAndWait, launch, type RunningProcess } from '../../test/child-process.ts'
import { bearer, CHAT_PATH, type Scene, type Target } from './scene.ts'

/** Another gateway, measured in the same run with the OpenAI format. */
export interface Peer {
  name: string
  /** Run by a shell. It must not fork. */
  command: string
  port: number
  headers(upstream: string): Record<string, string>
}

/** Installed when needed, never a dependency of ours. Ignored by git; removed when packages are installed anew. */
const VERSION = '1.15.2'
const FOLDER = join(import.meta.dirname, `../../node_modules/.cache/bench-peers/portkey-${VERSION}`)
const PACKAGE = '@portkey-ai/gateway'
/** With later ones its streams fail: it adds to headers that they do not copy. */
const OVERRIDES = { '@hono/node-server': '1.13.8' }
const PROGRAM = join(FOLDER, 'node_modules', PACKAGE, 'build/start-server.js')
const PORT = 18_787

const PORTKEY: Peer = {
  name: `Portkey ${VERSION}`,
  command: `"${process.execPath}" "${PROGRAM}" --port=${PORT} --headless`,
  port: PORT,
  // It has no keys, limits or log: each call names the provider.
  headers: (upstream) => ({
    ...bearer('sk-bench'),
    'x-portkey-provider': 'openai',
    'x-portkey-custom-host': `${upstream}/v1`,
  }),
}

/** Empty when npm cannot install it; the callback says why. */
export async function installPeers(onProblem: (text: string) => void): Promise<Peer[]> {
  const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--no-package-lock']
  const args = ['install', '--prefix', FOLDER, ...options]
  try {
    if (!existsSync(PROGRAM)) {
      mkdirSync(FOLDER, { recursive: true })
      const wanted = { dependencies: { [PACKAGE]: VERSION }, overrides: OVERRIDES }
      writeFileSync(join(FOLDER, 'package.json'), JSON.stringify(wanted))
      await promisify(execFile)('npm', args, { timeout: 180_000 })
    }
    return [PORTKEY]
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    onProblem(`${PORTKEY.name} is not measured, npm cannot install it: ${text.trim().split('\n').at(-1)}`)
    return []
  }
}

/** From `--peer "name=command@port"`: any gateway with the same API that forwards to `$UPSTREAM_URL`. */
export function parsePeer(text: string): Peer {
  const [, name, command, port] = /^([^=]+)=(.+)@(\d{1,5})$/.exec(text) ?? []
  if (name === undefined || command === undefined) throw new Error(`--peer "name=command@port", not '${text}'`)
  return { name, command, port: Number(port), headers: () => bearer('sk-bench') }
}

export async function startPeer(scene: Scene, peer: Peer, upstream: string): Promise<Target> {
  const { ready: url, pid } = await scene.add(launchPeer(scene, peer, upstream))
  const call = { url, path: CHAT_PATH, headers: peer.headers(upstream), model: 'gpt-5.4-mini' }
  return { name: peer.name, family: 'openai', ...call, pid }
}

const READY_WITHIN_MS = 30_000

async function launchPeer(scene: Scene, { name, command, port }: Peer, upstream: string): Promise<RunningProcess> {
  const child = launch({
    ...scene.pinning.on('measured', 'sh', ['-c', `exec ${command}`]),
    env: { UPSTREAM_URL: upstream, PORT: String(port), NODE_ENV: 'production' },
  })
  // A full pipe would block it.
  child.stdout?.resume()
  child.stderr?.resume()
  const kill = () => killAndWait(child)
  const ready = `http://127.0.0.1:${port}`
  const until = performance.now() + READY_WITHIN_MS
  while (!(await fetch(ready).catch(() => null))) {
    if (performance.now() > until || child.exitCode !== null) {
      await kill()
      throw new Error(`${name} does not listen on port ${port}: ${command}`)
    }
    await sleep(100)
  }
  return { pid: child.pid ?? 0, ready, kill, stop: () => kill().then(() => child.exitCode) }
}
