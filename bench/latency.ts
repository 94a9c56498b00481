import { COPY, DIRECT, HOP, OURS, startContestants } from './contestants.ts'
import { watchCore } from './core-watch.ts'
import { label } from './label.ts'
import { median } from './median.ts'
import type { StageResult } from './open-loop.ts'
import { calmest, type Paced, type SliceCount } from './pace.ts'
import { percentilesOf } from './percentiles.ts'
import type { RunOptions } from './plan.ts'
import { inRounds } from './rounds.ts'
import { createScene, type Family, type Scene, startUpstream, type Target } from './scene.ts'

/** A constant rate of calls to a provider that takes 50 ms. */
export interface LatencyRow {
  name: string
  family: Family
  rate: number
  /** Those in which the cores were fastest count for what is no figure *of all*. */
  slices: SliceCount
  /** Of each slice, and of these the median. */
  p50Ms: number
  p99Ms: number
  /** Of the calls of all slices together, those in which the machine did something else included. */
  allP99Ms: number
  allP999Ms: number
  /** Against the direct calls. */
  added: { p50Ms: number; p99Ms: number; allP99Ms: number; allP999Ms: number }
  failed: number
  /** How late the load itself was; the median of the slices. */
  lateP99Ms: number
}

export async function measureLatency(options: RunOptions): Promise<LatencyRow[]> {
  const { plan, progress } = options
  await using scene = createScene()
  const upstream = await startUpstream(scene)
  const all = await startContestants(scene, upstream.after50ms, options)
  // Of a peer one family is enough here: the other costs it a little more, and the run would take minutes longer.
  const targets = all.filter(({ name, family }) => name !== COPY && (name === OURS || family === 'openai'))
  const cores = (['measured', 'around'] as const).map((core) => watchCore(scene, core))
  const slices: LatencySlice[] = []
  for (const target of targets) {
    progress(`latency: ${label(target)} warms up for ${plan.warmupSeconds} s`)
    await warmUp(scene, target, plan.warmupSeconds)
  }
  const isClose = ({ name, family }: Target) =>
    name === DIRECT || name === HOP || (name === OURS && family === 'openai')
  for (const { rate, rounds: most } of plan.rates) {
    await inRounds({ rounds: most, targets, isClose }, async (target, round) => {
      const stages = await runStages(scene, target, rate, plan.latencySeconds)
      for (const stage of stages) {
        const paces = await Promise.all(cores.map((core) => core.paceMs(stage.window)))
        slices.push({ target, rate, stage, paceMs: Math.max(...paces) })
      }
      const middle = (of: Figure) => (median(stages.map(of)) ?? 0).toFixed(2)
      const figures = `p50 ${middle(({ okMs }) => okMs.p50)} ms, p99 ${middle(({ okMs }) => okMs.p99)} ms`
      progress(`latency at ${rate}/s, round ${round} of ${most}: ${label(target)} ${figures}`)
    })
  }
  return plan.rates.flatMap(({ rate }) => targets.map((target) => latencyRow(slices, target, rate)))
}

interface LatencySlice extends Paced {
  target: Pick<Target, 'name' | 'family'>
  rate: number
  stage: StageResult
}

/** As many as a stalled gateway could need; a healthy one uses a tenth. */
export const CONNECTIONS = 4_000
export const SETTLE_SECONDS = 0.5

/** A process that has served for days: some ten thousand calls, as many at a time as the provider is slow. */
export async function warmUp(scene: Scene, target: Target, seconds: number): Promise<void> {
  const order = { bodyBytes: 0, connections: 200, warmupSeconds: 0, seconds, pid: null }
  await scene.load({ kind: 'closed', ...target, ...order })
}

/** One after the other without a pause, for to begin takes as long as to measure. */
const SLICES_OF_A_TURN = 4

async function runStages(scene: Scene, target: Target, rate: number, seconds: number): Promise<StageResult[]> {
  const stages = [{ rate, seconds: SETTLE_SECONDS }, ...Array(SLICES_OF_A_TURN).fill({ rate, seconds })]
  const load = await scene.load({ kind: 'open', ...target, bodyBytes: 0, connections: CONNECTIONS, stages })
  return load.stages.slice(1)
}

type Figure = (stage: StageResult) => number

export function latencyRow(slices: readonly LatencySlice[], target: LatencySlice['target'], rate: number): LatencyRow {
  const at = slices.filter((slice) => slice.rate === rate)
  const own = at.filter((slice) => label(slice.target) === label(target))
  const direct = at.filter((slice) => slice.target.name === DIRECT)
  const counted = calmest(own)
  const middle = (of: Figure, among = counted) => median(among.map(({ stage }) => of(stage))) ?? 0
  const added = (of: Figure) => middle(of) - middle(of, calmest(direct))
  const p50 = (stage: StageResult) => stage.okMs.p50
  const p99 = (stage: StageResult) => stage.okMs.p99
  const all = joined(own)
  const allDirect = joined(direct)
  return {
    name: target.name,
    family: target.family,
    rate,
    slices: { used: counted.length, all: own.length },
    p50Ms: middle(p50),
    p99Ms: middle(p99),
    allP99Ms: all.p99,
    allP999Ms: all.p999,
    added: {
      p50Ms: added(p50),
      p99Ms: added(p99),
      allP99Ms: all.p99 - allDirect.p99,
      allP999Ms: all.p999 - allDirect.p999,
    },
    failed: own.reduce((sum, { stage }) => sum + stage.failed + stage.unanswered, 0),
    lateP99Ms: middle((stage) => stage.lateMs.p99),
  }
}

function joined(slices: readonly LatencySlice[]) {
  return percentilesOf(Float64Array.from(slices.flatMap(({ stage }) => stage.okEachMs)))
}
