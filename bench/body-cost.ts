import { BODIES, type BodySize } from './bodies.ts'
import { watchCore } from './core-watch.ts'
import { startWatchedGateway } from './holds.ts'
import { label } from './label.ts'
import { median } from './median.ts'
import { calmest, type Paced, type SliceCount } from './pace.ts'
import type { RunOptions } from './plan.ts'
import { inRounds } from './rounds.ts'
import { cpuPerRequest, ratio } from './saturation.ts'
import {
  createScene,
  FAMILIES,
  type Family,
  type Scene,
  startBareProxy,
  startGateway,
  startUpstream,
  type Target,
} from './scene.ts'

/** What larger bodies cost. */
export interface BodyRow {
  name: string
  family: Family
  body: BodySize
  slices: SliceCount
  requestsPerSecond: number
  cpuMicroseconds: number | null
  hopRatio: number | null
  copyRatio: number | null
  /** One call at a time; measured in a gateway of its own, and only of ours. */
  longestHoldMs: number | null
  errors: number
}

export async function measureBodies(options: RunOptions): Promise<BodyRow[]> {
  const rows: BodyRow[] = []
  for (const body of options.plan.bodies) {
    await using scene = createScene()
    const upstream = (await startUpstream(scene)).atOnce
    const hop = await startBareProxy(scene, upstream, 'hop')
    const copy = await startBareProxy(scene, upstream, 'copy')
    const gateway = await startGateway(scene, { upstream, dist: options.dist })
    const own = FAMILIES.map((family) => gateway.target(family, body))
    const measured = await measureCost(scene, [hop, copy, ...own], body, options)
    const watched = await startWatchedGateway(scene, { upstream, dist: options.dist })
    for (const row of measured) {
      const target = own.find((candidate) => label(candidate) === label(row))
      if (target === undefined) continue
      await runSlice(scene, watched.target(row.family, body), { body, seconds: 1, connections: 1 })
      await watched.holds()
      await runSlice(scene, watched.target(row.family, body), {
        body,
        seconds: options.plan.bodySeconds,
        connections: 1,
      })
      row.longestHoldMs = (await watched.holds())[0]?.ms ?? 0
    }
    rows.push(...measured)
  }
  return rows
}

interface BodySlice extends Paced {
  label: string
  cpu: number | null
  perSecond: number
  errors: number
}

async function measureCost(scene: Scene, targets: readonly Target[], body: BodySize, options: RunOptions) {
  const { plan, progress } = options
  const slices: BodySlice[] = []
  const core = watchCore(scene, 'measured')
  const { connections } = BODIES[body]
  for (const target of targets) await runSlice(scene, target, { body, seconds: plan.warmupSeconds / 2, connections })
  await inRounds({ rounds: plan.bodyRounds, targets, isClose: () => true }, async (target, round) => {
    const load = await runSlice(scene, target, { body, seconds: plan.bodySeconds, connections })
    const cpu = cpuPerRequest(load)
    const { requests, seconds, errors, window } = load
    const paceMs = await core.paceMs(window)
    slices.push({ label: label(target), cpu, perSecond: requests / seconds, errors, paceMs })
    progress(`bodies of ${body}, round ${round} of ${plan.bodyRounds}: ${label(target)} ${cpu?.toFixed(0)} µs`)
  })
  const countedOf = (target: Target | undefined) =>
    calmest(slices.filter((slice) => target !== undefined && slice.label === label(target)))
  const cpuOf = (target: Target | undefined) => median(countedOf(target).map(({ cpu }) => cpu))
  const [hop, copy] = targets
  return targets.map((target): BodyRow => {
    const own = slices.filter((slice) => slice.label === label(target))
    const counted = countedOf(target)
    return {
      name: target.name,
      family: target.family,
      body,
      slices: { used: counted.length, all: own.length },
      requestsPerSecond: median(counted.map(({ perSecond }) => perSecond)) ?? 0,
      cpuMicroseconds: cpuOf(target),
      hopRatio: ratio(cpuOf(target), cpuOf(hop)),
      copyRatio: ratio(cpuOf(target), cpuOf(copy)),
      longestHoldMs: null,
      errors: own.reduce((sum, { errors }) => sum + errors, 0),
    }
  })
}

function runSlice(scene: Scene, target: Target, how: { body: BodySize; seconds: number; connections: number }) {
  const { body, seconds, connections } = how
  const { bytes } = BODIES[body]
  return scene.load({ kind: 'closed', ...target, bodyBytes: bytes, connections, warmupSeconds: 0.3, seconds })
}
