import { CONNECTIONS } from '../load/bodies.ts'
import type { ClosedLoopResult } from '../load/closed-loop.ts'
import { median, type Spread, spreadOf, sum } from '../load/percentiles.ts'
import type { RunOptions } from '../plan.ts'
import { startContestants } from '../run/contestants.ts'
import { createScene, type Family, label, type Scene, startUpstream, type Target } from '../run/scene.ts'
import { cpuPerRequest, per } from './together.ts'

/** One target alone on its core, as busy as 32 connections make it; medians of its slices. */
export interface SaturationRow {
  name: string
  family: Family
  requests: number
  shed: number
  errors: number
  requestsPerSecond: number
  requestsPerSecondSpread: Spread | null
  p50Ms: number
  p99Ms: number
  /** Null for direct calls and without `/proc`. */
  cpuMicroseconds: number | null
  /** Well below 1, something else was the bottleneck. */
  coreShare: number | null
}

export async function measureSaturation(options: RunOptions): Promise<SaturationRow[]> {
  const { plan, progress } = options
  await using scene = createScene()
  const { direct, hop, ours, peers } = await startContestants(scene, (await startUpstream(scene)).immediate, options)
  const measured = [direct, hop, ...ours, ...peers].map((target) => ({ target, loads: [] as ClosedLoopResult[] }))
  for (const { target } of measured) {
    progress(`saturation: ${label(target)} warms up for ${plan.warmupSeconds} s`)
    await runSlice(scene, target, plan.warmupSeconds)
  }
  for (let round = 1; round <= plan.saturation.rounds; round++) {
    for (const { target, loads } of measured) {
      const load = await runSlice(scene, target, plan.saturation.seconds)
      loads.push(load)
      const rate = (load.requests / load.seconds).toFixed(0)
      progress(`saturation, round ${round} of ${plan.saturation.rounds}: ${label(target)} ${rate}/s`)
    }
  }
  return measured.map(({ target, loads }) => saturationRow(target, loads))
}

/** A slice begins with what connections and caches need. */
const SLICE_WARMUP_SECONDS = 0.2

function runSlice(scene: Scene, target: Target, seconds: number): Promise<ClosedLoopResult> {
  const how = { connections: CONNECTIONS, warmupSeconds: SLICE_WARMUP_SECONDS, seconds }
  return scene.load({ kind: 'closed', ...target, ...how })
}

export function saturationRow(
  { name, family }: Pick<Target, 'name' | 'family'>,
  loads: readonly ClosedLoopResult[],
): SaturationRow {
  const rates = loads.map(({ requests, seconds }) => requests / seconds)
  return {
    name,
    family,
    requests: sum(loads.map(({ requests }) => requests)),
    shed: sum(loads.map(({ shed }) => shed)),
    errors: sum(loads.map(({ errors }) => errors)),
    requestsPerSecond: median(rates) ?? 0,
    requestsPerSecondSpread: spreadOf(rates),
    p50Ms: median(loads.map(({ latencyMs }) => latencyMs.p50)) ?? 0,
    p99Ms: median(loads.map(({ latencyMs }) => latencyMs.p99)) ?? 0,
    cpuMicroseconds: median(loads.map(cpuPerRequest)),
    coreShare: median(loads.map(({ usage, seconds }) => per(usage?.cpuMicroseconds, seconds * 1e6))),
  }
}
