import { DIRECT, direct, HOP } from './contestants.ts'
import { label } from './label.ts'
import { CONNECTIONS, SETTLE_SECONDS, warmUp } from './latency.ts'
import { median } from './median.ts'
import type { StageResult } from './open-loop.ts'
import { percentile } from './percentiles.ts'
import type { RunOptions } from './plan.ts'
import {
  createScene,
  type Family,
  type Scene,
  startBareProxy,
  startGateway,
  startUpstream,
  type Target,
} from './scene.ts'

/** What a target adds to direct calls, and what the bare proxy adds, while all three are called; medians of the rounds. */
export interface LatencyTogetherRow {
  name: string
  family: Family
  /** Of each target. */
  rate: number
  added: { p50Ms: number; p99Ms: number }
  /** Against what the bare proxy adds in the same round; null for direct calls, which add nothing. */
  hopRatio: { p50: number | null; p99: number | null }
  calls: number
  /** Those around which no direct call was late. */
  counted: number
  rounds: number
}

export interface LatencyTogetherPlan {
  rounds: number
  seconds: number
}

/** The calls of one target in one round. */
export interface TargetCalls {
  name: string
  family: Family
  stage: Pick<StageResult, 'okDueMs' | 'okEachMs'>
}

/**
 * Direct calls, those through the bare proxy and ours at the same time, so that what the host does meets all of them:
 * decision 0018. At this rate the two proxies have their core to themselves most of the time.
 */
export async function measureLatencyTogether({ plan, dist, progress }: RunOptions): Promise<LatencyTogetherRow[]> {
  await using scene = createScene()
  const upstream = (await startUpstream(scene)).after50ms
  const hop = await startBareProxy(scene, upstream, 'hop')
  const ours = (await startGateway(scene, { upstream, dist })).target('openai')
  const targets = [direct(upstream), hop, ours]
  for (const target of targets) {
    progress(`latency together: ${label(target)} warms up for ${plan.warmupSeconds} s`)
    await warmUp(scene, target, plan.warmupSeconds)
  }
  const rate = plan.rates[0]?.rate ?? 0
  const { rounds: most, seconds } = plan.latencyTogether
  const rounds: TargetCalls[][] = []
  for (let round = 1; round <= most; round++) {
    rounds.push(await Promise.all(targets.map((target) => callsOf(scene, target, rate, seconds))))
    progress(`latency together at ${rate}/s each, round ${round} of ${most}`)
  }
  return latencyTogetherRows(rounds, rate)
}

async function callsOf(scene: Scene, target: Target, rate: number, seconds: number): Promise<TargetCalls> {
  const stages = [
    { rate, seconds: SETTLE_SECONDS },
    { rate, seconds },
  ]
  const load = await scene.load({ kind: 'open', ...target, bodyBytes: 0, connections: CONNECTIONS, stages })
  const stage = load.stages[1]
  if (stage === undefined) throw new Error('the load told nothing')
  return { name: target.name, family: target.family, stage }
}

/** A direct call that took so much longer than most was late because of the host or of the load. */
const LATE_MS = 1
/** Calls that were under way at the same time. */
const AROUND_MS = 60

/**
 * How long those calls took around which no direct call was late, the shortest first. Whether one counts is for others to
 * say: no direct call has anything to do with a gateway.
 */
export function undisturbed(calls: TargetCalls['stage'], directCalls: TargetCalls['stage']): number[] {
  const usual = median(directCalls.okEachMs) ?? 0
  const late = directCalls.okDueMs
    .filter((_, index) => (directCalls.okEachMs[index] ?? 0) > usual + LATE_MS)
    .sort((a, b) => a - b)
  const isDisturbed = (dueMs: number) => {
    const next = late[firstFrom(late, dueMs - AROUND_MS)]
    return next !== undefined && next <= dueMs + AROUND_MS
  }
  return calls.okEachMs.filter((_, index) => !isDisturbed(calls.okDueMs[index] ?? 0)).sort((a, b) => a - b)
}

/** Where the first that is not smaller stands. */
function firstFrom(sorted: readonly number[], least: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? 0) < least) low = middle + 1
    else high = middle
  }
  return low
}

interface Added {
  p50: number
  p99: number
  counted: number
}

export function latencyTogetherRows(rounds: readonly (readonly TargetCalls[])[], rate: number): LatencyTogetherRow[] {
  const added = rounds.map((targets) => {
    const reference = targets.find(({ name }) => name === DIRECT)?.stage ?? { okDueMs: [], okEachMs: [] }
    const [p50, p99] = quantiles(undisturbed(reference, reference))
    return new Map<string, Added>(
      targets.map((target) => {
        const counted = undisturbed(target.stage, reference)
        const [ownP50, ownP99] = quantiles(counted)
        return [label(target), { p50: ownP50 - p50, p99: ownP99 - p99, counted: counted.length }]
      }),
    )
  })
  return (rounds[0] ?? []).map(({ name, family }) => {
    const own = added.flatMap((round) => round.get(label({ name, family })) ?? [])
    const ofHop = added.map((round) => round.get(HOP))
    const against = (which: 'p50' | 'p99') =>
      name === DIRECT ? null : median(own.map((figures, round) => share(figures[which], ofHop[round]?.[which])))
    return {
      name,
      family,
      rate,
      added: { p50Ms: median(own.map(({ p50 }) => p50)) ?? 0, p99Ms: median(own.map(({ p99 }) => p99)) ?? 0 },
      hopRatio: { p50: against('p50'), p99: against('p99') },
      calls: rounds.flat().reduce((sum, target) => sum + (target.name === name ? target.stage.okEachMs.length : 0), 0),
      counted: own.reduce((sum, { counted }) => sum + counted, 0),
      rounds: rounds.length,
    }
  })
}

function quantiles(sorted: readonly number[]): [p50: number, p99: number] {
  return [percentile(sorted, 0.5), percentile(sorted, 0.99)]
}

/** A proxy that seems to add nothing was measured on a machine that was busy with something else. */
function share(value: number, reference: number | undefined): number | null {
  return reference === undefined || reference <= 0 ? null : Math.max(0, value) / reference
}
