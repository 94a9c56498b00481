import { PACES, type Pace } from '../load/events.ts'
import type { RunOptions } from '../plan.ts'
import { direct, PIPE, startBareProxy } from '../run/contestants.ts'
import { OURS, startGateway } from '../run/gateway.ts'
import { startPeer } from '../run/peers.ts'
import { createScene, startUpstreams, type Target } from '../run/scene.ts'
import { type LatencyRow, measureGroups, warmUp } from './latency.ts'
import { exchangedGateways, type LineUp, runTogether, type TogetherRow, togetherRows } from './together.ts'

/** CPU per stream of 100 events. */
export interface StreamRow extends TogetherRow {
  pace: Pace
}

export const WHOLE = `${OURS}, whole calls`

/** So few that the core is not full: events would otherwise be read several at a time. */
const CONNECTIONS = 12
export const STREAMING = { STREAMING: 'on', OVERLOAD_MS: '0' }

export function streamed(target: Target): Target {
  return { ...target, stream: true, connections: CONNECTIONS }
}

/** `hopRatio` refers to the proxy that only pipes. */
export async function measureStreams({ plan, peers, build, profile, progress }: RunOptions): Promise<StreamRow[]> {
  const rows: StreamRow[] = []
  const nodeFlags = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]
  for (const pace of plan.streams.paces) {
    await using scene = createScene()
    const [upstream = '', wholeUpstream = ''] = await startUpstreams(scene, [PACES[pace], '50'])
    const others = [await startBareProxy(scene, upstream, 'pipe')]
    for (const peer of peers) others.push(await startPeer(scene, peer, upstream))
    const ours = await exchangedGateways(scene, { upstream, build, nodeFlags, env: STREAMING })
    const whole = (await startGateway(scene, { upstream: wholeUpstream, build, env: STREAMING })).target('openai')
    const compared = { ...whole, name: WHOLE, connections: CONNECTIONS }
    const lineUp: LineUp = (round) => [...[...others, ...ours(round)].map(streamed), compared]
    progress(`streams, ${pace}`)
    const rounds = await runTogether(scene, lineUp, plan.streams, progress)
    rows.push(...togetherRows(rounds, PIPE).map((row) => ({ ...row, pace })))
  }
  return rows
}

/** Time to first content against direct streams at the same time, and the delay of each event: 10 of them, every 10 ms. */
export async function measureFirstContent({ plan, build, progress }: RunOptions): Promise<LatencyRow[]> {
  await using scene = createScene()
  const [upstream = ''] = await startUpstreams(scene, ['10/10'])
  const [straight, pipe] = [streamed(direct(upstream)), streamed(await startBareProxy(scene, upstream, 'pipe'))]
  const gateway = await startGateway(scene, { upstream, build, env: STREAMING })
  const [openai, anthropic] = [streamed(gateway.target('openai')), streamed(gateway.target('anthropic'))]
  for (const target of [straight, pipe, openai, anthropic]) {
    progress(`first content: ${target.name} warms up for ${plan.warmupSeconds} s`)
    await warmUp(scene, target, plan.warmupSeconds)
  }
  const groups = [
    [straight, pipe, openai],
    [straight, anthropic],
  ]
  return await measureGroups(scene, groups, plan.firstContent, progress)
}
