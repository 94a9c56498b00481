import { join } from 'node:path'
import { startProcess } from '../../test/child-process.ts'
import type { RunOptions } from '../plan.ts'
import { startGateway } from './gateway.ts'
import { startPeer } from './peers.ts'
import { bearer, CHAT_PATH, FAMILIES, type Scene, type Target } from './scene.ts'

export const HOP = 'bare proxy (hop)'
export const PIPE = 'bare proxy (pipe)'
export const DIRECT = 'direct'

/** No gateway at all. */
export function direct(upstream: string): Target {
  const headers = { 'content-type': 'application/json' }
  return { name: DIRECT, family: 'openai', url: upstream, path: CHAT_PATH, headers, model: 'gpt-5.4-mini', pid: null }
}

const BARE = { hop: HOP, pipe: PIPE }

/** bare-proxy.ts describes the modes. */
export async function startBareProxy(scene: Scene, upstream: string, mode: keyof typeof BARE): Promise<Target> {
  const key = 'gw_live_bare0000000000000000000000000000'
  const args = [join(import.meta.dirname, 'bare-proxy.ts'), upstream, mode, key]
  const command = scene.pinning.on('measured', process.execPath, args)
  const { ready: url, pid } = await scene.add(startProcess({ ...command, readyWhen: /on (http:\S+)/ }))
  return { name: BARE[mode], family: 'openai', url, path: CHAT_PATH, headers: bearer(key), model: 'bench-openai', pid }
}

/** Everything that is measured side by side. */
export async function startContestants(scene: Scene, upstream: string, { peers, build }: RunOptions) {
  const hop = await startBareProxy(scene, upstream, 'hop')
  const gateway = await startGateway(scene, { upstream, build })
  const others: Target[] = []
  for (const peer of peers) others.push(await startPeer(scene, peer, upstream))
  return { direct: direct(upstream), hop, ours: FAMILIES.map((family) => gateway.target(family)), peers: others }
}
