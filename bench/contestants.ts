import { startPeer } from './peers.ts'
import type { RunOptions } from './plan.ts'
import { CHAT_PATH, FAMILIES, type Scene, startBareProxy, startGateway, type Target } from './scene.ts'

export const HOP = 'bare proxy (hop)'
export const COPY = 'bare proxy (copy)'
export const DIRECT = 'direct'
export const OURS = 'Switchyard'

/** No gateway at all. */
export function direct(upstream: string): Target {
  const headers = { 'content-type': 'application/json' }
  return { name: DIRECT, family: 'openai', url: upstream, path: CHAT_PATH, headers, model: 'gpt-5.4-mini', pid: null }
}

/** All that are measured side by side, in the order in which they take turns. */
export async function startContestants(
  scene: Scene,
  upstream: string,
  { peers, dist, plan }: RunOptions,
): Promise<Target[]> {
  const hop = await startBareProxy(scene, upstream, 'hop')
  const copy = await startBareProxy(scene, upstream, 'copy')
  const gateway = await startGateway(scene, { upstream, dist })
  const others: Target[] = []
  for (const peer of peers)
    others.push(...(await startPeer(scene, peer, upstream)).filter(({ family }) => plan.peerFamilies.includes(family)))
  return [direct(upstream), hop, copy, ...FAMILIES.map((family) => gateway.target(family)), ...others]
}
