import { setTimeout as sleep } from 'node:timers/promises'
import { BODIES } from './bodies.ts'
import type { ClosedLoopResult } from './closed-loop.ts'
import { HOP, OURS, startContestants } from './contestants.ts'
import { watchCore } from './core-watch.ts'
import { label } from './label.ts'
import { median } from './median.ts'
import { calmest, type Paced, type SliceCount } from './pace.ts'
import type { RunOptions } from './plan.ts'
import { type ProcessUsage, readUsage } from './process-usage.ts'
import { inRounds } from './rounds.ts'
import { createScene, type Family, type Scene, startUpstream, type Target } from './scene.ts'

/** One target as busy as 32 connections make it; the median of its slices. */
export interface SaturationRow {
  name: string
  family: Family
  requests: number
  shed: number
  errors: number
  requestsPerSecond: number
  p50Ms: number
  p99Ms: number
  /** Process time a request, all threads; null where nothing is measured or the system does not tell. */
  cpuMicroseconds: number | null
  servingMicroseconds: number | null
  /** The same over all slices, whatever the host did in them. */
  cpuMicrosecondsOfAll: number | null
  /** Share of one core in use: well below 1 means that load, upstream or a stranger were the bottleneck. */
  coreShare: number | null
  /** Those in which the core was fastest count. */
  slices: SliceCount
  rssIdleBytes: number | null
  rssLoadBytes: number | null
}

/** One target under load for a few seconds. */
export interface Slice extends Paced {
  name: string
  family: Family
  load: ClosedLoopResult
}

/** Time for fresh processes to finish what they do after their start. */
const SETTLE_MS = 1_000

export async function measureSaturation(options: RunOptions): Promise<SaturationRow[]> {
  const { plan, progress } = options
  await using scene = createScene()
  const upstream = await startUpstream(scene)
  const targets = await startContestants(scene, upstream.atOnce, options)
  await sleep(SETTLE_MS)
  const idle = new Map(targets.map(({ pid }) => [pid, pid === null ? null : (readUsage(pid)?.rssBytes ?? null)]))
  const core = watchCore(scene, 'measured')
  for (const target of targets) {
    progress(`saturation: ${label(target)} warms up for ${plan.warmupSeconds} s`)
    await runSlice(scene, target, plan.warmupSeconds)
  }
  const slices: Slice[] = []
  const isClose = ({ name }: Target) => name === HOP || name === OURS
  await inRounds({ rounds: plan.rounds, targets, isClose }, async (target, round) => {
    const load = await runSlice(scene, target, plan.sliceSeconds)
    slices.push({ name: target.name, family: target.family, load, paceMs: await core.paceMs(load.window) })
    const rate = (load.requests / load.seconds).toFixed(0)
    progress(`saturation, round ${round} of ${plan.rounds}: ${label(target)} ${rate}/s`)
  })
  return targets.map((target) => ({
    ...saturationRow(slices, target),
    rssIdleBytes: idle.get(target.pid) ?? null,
  }))
}

/** A slice begins with what connections and caches need. */
const SLICE_WARMUP_SECONDS = 0.2

function runSlice(scene: Scene, target: Target, seconds: number): Promise<ClosedLoopResult> {
  const { connections, bytes } = BODIES['1k']
  const { pid } = target
  return scene.load({
    kind: 'closed',
    ...target,
    bodyBytes: bytes,
    connections,
    warmupSeconds: SLICE_WARMUP_SECONDS,
    seconds,
    pid,
  })
}

/** The median of each figure over the slices of a target in which the core was fastest. */
export function saturationRow(
  slices: readonly Slice[],
  target: Pick<Target, 'name' | 'family'>,
): Omit<SaturationRow, 'rssIdleBytes'> {
  const all = slices.filter((slice) => label(slice) === label(target))
  const counted = calmest(all)
  const loads = counted.map(({ load }) => load)
  const of = (slice: readonly Slice[]) => median(slice.map(({ load }) => cpuPerRequest(load)))
  return {
    name: target.name,
    family: target.family,
    slices: { used: counted.length, all: all.length },
    requests: sum(all.map(({ load }) => load.requests)),
    shed: sum(all.map(({ load }) => load.shed)),
    errors: sum(all.map(({ load }) => load.errors)),
    requestsPerSecond: median(loads.map((load) => load.requests / load.seconds)) ?? 0,
    p50Ms: median(loads.map((load) => load.latencyMs.p50)) ?? 0,
    p99Ms: median(loads.map((load) => load.latencyMs.p99)) ?? 0,
    cpuMicroseconds: of(counted),
    servingMicroseconds: median(loads.map(servingPerRequest)),
    cpuMicrosecondsOfAll: of(all),
    coreShare: median(loads.map((load) => used(load, 'cpuMicroseconds', load.seconds * 1e6))),
    rssLoadBytes: largest(all.map(({ load }) => load.usage?.after.rssBytes ?? null)),
  }
}

export function cpuPerRequest(load: ClosedLoopResult): number | null {
  return used(load, 'cpuMicroseconds', load.requests)
}

export function servingPerRequest(load: ClosedLoopResult): number | null {
  return used(load, 'mainThreadMicroseconds', load.requests)
}

function used({ usage }: ClosedLoopResult, what: Exclude<keyof ProcessUsage, 'threads'>, per: number): number | null {
  return usage === null || per === 0 ? null : (usage.after[what] - usage.before[what]) / per
}

export function ratio(value: number | null, reference: number | null): number | null {
  return value === null || reference === null || reference === 0 ? null : value / reference
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

function largest(values: readonly (number | null)[]): number | null {
  const there = values.filter((value) => value !== null)
  return there.length === 0 ? null : Math.max(...there)
}
