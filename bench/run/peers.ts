import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { killAndWait, launch, type RunningProcess } from '../../test/child-process.ts'
import { fixedPort } from '../../test/fixed-port.ts'
import { processTree } from '../load/process-usage.ts'
import { bearer, CHAT_PATH, type Scene, type Target } from './scene.ts'

/** Another gateway, measured in the same run with the OpenAI format. */
export interface Peer {
  name: string
  /** What it does with each call beside forwarding it, and what it cannot do here. */
  does: string
  /** Run by a shell with `$PORT`, `$PROVIDER_URL` and `$CONFIG`. It listens on that port, or prints `listening on` a URL. */
  command: string
  /** A file that `$CONFIG` names. */
  config?(provider: string): string
  env?: Readonly<Record<string, string>>
  headers?(provider: string): Record<string, string>
  path?: string
  model?: string
}

export const PEER_KEY = 'sk-bench'

/** From `--peer "name=command"`: any gateway with the same API that forwards to `$PROVIDER_URL`. */
export function parsePeer(text: string): Peer {
  const [, name, command] = /^([^=]+)=(.+)$/s.exec(text) ?? []
  if (name === undefined || command === undefined) throw new Error(`--peer "name=command", not '${text}'`)
  return { name, command, does: 'as its command says' }
}

export async function startPeer(scene: Scene, peer: Peer, provider: string): Promise<Target> {
  const { ready: url, pid } = await scene.add(launchPeer(scene, peer, provider))
  const { path = CHAT_PATH, model = 'gpt-5.4-mini' } = peer
  const headers = peer.headers?.(provider) ?? bearer(PEER_KEY)
  return { name: peer.name, family: 'openai', url, path, headers, model, pid }
}

/** Python that imports a large package on a busy machine takes minutes. */
const READY_WITHIN_MS = 300_000
const KEPT_OUTPUT = 4_000

async function launchPeer(scene: Scene, peer: Peer, provider: string): Promise<RunningProcess> {
  const port = await fixedPort()
  const config = join(scene.folder, `peer-${port}.config`)
  if (peer.config !== undefined) writeFileSync(config, peer.config(provider))
  const child = launch({
    ...scene.pinning.on('measured', 'sh', ['-c', `exec ${peer.command}`]),
    env: { ...peer.env, PORT: String(port), PROVIDER_URL: provider, CONFIG: config, NODE_ENV: 'production' },
    cwd: scene.folder,
  })
  let output = ''
  const keep = (chunk: Buffer) => {
    output = (output + chunk.toString('utf8')).slice(-KEPT_OUTPUT)
  }
  // A full pipe would block it.
  child.stdout?.on('data', keep)
  child.stderr?.on('data', keep)
  const until = performance.now() + READY_WITHIN_MS
  const kill = async () => {
    const [, ...below] = child.pid === undefined ? [] : processTree(child.pid).keys()
    await killAndWait(child)
    // What it has started would outlive it.
    for (const pid of below) if (existsSync(`/proc/${pid}`)) process.kill(pid, 'SIGKILL')
  }
  for (;;) {
    const ready = /^listening on (http:\S+)$/m.exec(output)?.[1] ?? `http://127.0.0.1:${port}`
    if (await fetch(ready).catch(() => null))
      return { pid: child.pid ?? 0, ready, kill, stop: () => kill().then(() => child.exitCode) }
    if (performance.now() > until || child.exitCode !== null) {
      await kill()
      throw new Error(`it does not listen: ${output.trim().split('\n').at(-1) || peer.command}`)
    }
    await sleep(100)
  }
}
