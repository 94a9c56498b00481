import type { StageResult } from '../load/open-loop.ts'
import { median, percentile, type Spread, spreadOf, sum } from '../load/percentiles.ts'
import type { LatencyPlan, RunOptions } from '../plan.ts'
import { DIRECT, HOP, startContestants } from '../run/contestants.ts'
import { createScene, type Family, label, type Scene, startUpstream, type Target } from '../run/scene.ts'
import { per } from './together.ts'

/** What a target adds to direct calls that are made at the same time; medians of the rounds. */
export interface LatencyRow {
  name: string
  family: Family
  /** Of each target of the group. */
  rate: number
  /** Null when no call counts. */
  added: { p50Ms: number | null; p99Ms: number | null }
  addedP50Spread: Spread | null
  /** Against what the bare proxy adds in the same round; null where it is not in the group. */
  hopRatio: { p50: number | null; p99: number | null }
  calls: number
  /** Calls with no late direct call around them; only these are measured. */
  counted: number
  /** Answered with an error, or not at all. */
  failed: number
  /** How late the load itself was. */
  lateP99Ms: number
  rounds: number
  /** Of streams: what is added to the delay of each event, and how many came together with a later one. */
  events?: { addedP50Ms: number | null; addedP99Ms: number | null; joined: number; count: number }
}

/** The calls of one target in one round. */
export interface TargetCalls {
  name: string
  family: Family
  stage: StageResult
}

/**
 * Constant rates against a provider that takes 50 ms. The bare proxy and our OpenAI family share every round, because
 * they are compared closely (decision 0018); the others are measured with direct calls only.
 */
export async function measureLatency(options: RunOptions): Promise<LatencyRow[]> {
  const { plan, progress } = options
  await using scene = createScene()
  const { direct, hop, ours, peers } = await startContestants(scene, (await startUpstream(scene)).after50ms, options)
  const [openai, ...families] = ours as [Target, ...Target[]]
  const groups = [[direct, hop, openai], ...[...families, ...peers].map((target) => [direct, target])]
  for (const target of new Set(groups.flat())) {
    progress(`latency: ${label(target)} warms up for ${plan.warmupSeconds} s`)
    await warmUp(scene, target, plan.warmupSeconds)
  }
  return await measureGroups(scene, groups, plan.latency, progress)
}

/** Each group starts with direct calls. */
export async function measureGroups(
  scene: Scene,
  groups: readonly (readonly Target[])[],
  { rates, seconds }: LatencyPlan,
  progress: (text: string) => void,
): Promise<LatencyRow[]> {
  const rows: LatencyRow[] = []
  for (const { rate, rounds } of rates) {
    const measured: TargetCalls[][][] = groups.map(() => [])
    for (let round = 1; round <= rounds; round++) {
      for (const [index, group] of groups.entries()) {
        progress(`latency at ${rate}/s each, round ${round} of ${rounds}: ${group.map(label).join(' and ')}`)
        measured[index]?.push(await Promise.all(group.map((target) => callsOf(scene, target, rate, seconds))))
      }
    }
    const all = measured.map((group) => latencyRows(group, rate))
    rows.push(...all.flatMap((group, index) => (index === 0 ? group : group.slice(1))))
  }
  return rows
}

/** Enough for a stalled gateway; a healthy one uses a tenth. */
export const CONNECTIONS = 4_000
const SETTLE_SECONDS = 0.5

/** Some ten thousand calls, so that the measured code is compiled. */
export async function warmUp(scene: Scene, target: Target, seconds: number): Promise<void> {
  await scene.load({ kind: 'closed', ...target, connections: 200, warmupSeconds: 0, seconds, pid: null })
}

async function callsOf(scene: Scene, target: Target, rate: number, seconds: number): Promise<TargetCalls> {
  const stages = [SETTLE_SECONDS, seconds].map((length) => ({ rate, seconds: length }))
  const load = await scene.load({ kind: 'open', ...target, connections: CONNECTIONS, stages })
  return { name: target.name, family: target.family, stage: load.stages[1] as StageResult }
}

type Calls = Pick<StageResult, 'okDueMs' | 'okEachMs'>

/** A direct call that takes this much longer than the median was delayed by the host or the load. */
const LATE_MS = 1
/** Calls were in flight at the same time when their slots are this close. */
const SLOT_MS = 20
const SLOTS_AROUND = [-3, -2, -1, 0, 1, 2, 3]

/** Latencies of the calls with no late direct call around them, ascending. Direct calls do not depend on a gateway. */
export function undisturbed(calls: Calls, direct: Calls): number[] {
  const slotOf = (dueMs: number | undefined) => Math.floor((dueMs ?? 0) / SLOT_MS)
  const usual = median(direct.okEachMs) ?? 0
  const late = direct.okDueMs.filter((_, index) => (direct.okEachMs[index] ?? 0) > usual + LATE_MS)
  const disturbed = new Set(late.flatMap((due) => SLOTS_AROUND.map((offset) => slotOf(due) + offset)))
  return calls.okEachMs.filter((_, index) => !disturbed.has(slotOf(calls.okDueMs[index]))).sort((a, b) => a - b)
}

const NO_CALLS: Calls = { okDueMs: [], okEachMs: [] }

/** The rows of one group. */
export function latencyRows(rounds: readonly (readonly TargetCalls[])[], rate: number): LatencyRow[] {
  const added = rounds.map((targets) => {
    const direct = targets.find(({ name }) => name === DIRECT)?.stage ?? NO_CALLS
    const base = undisturbed(direct, direct)
    return new Map(targets.map((target) => [label(target), addedBy(undisturbed(target.stage, direct), base)]))
  })
  return (rounds[0] ?? []).map(({ name, family }) => {
    const own = added.map((round) => round.get(label({ name, family })) ?? NOTHING)
    const stages = rounds.flatMap((targets) => targets.flatMap((target) => (target.name === name ? target.stage : [])))
    const against = (which: 'p50' | 'p99') =>
      median(own.map((figures, round) => ratio(figures[which], added[round]?.get(HOP)?.[which])))
    return {
      name,
      family,
      rate,
      added: { p50Ms: median(own.map(({ p50 }) => p50)), p99Ms: median(own.map(({ p99 }) => p99)) },
      addedP50Spread: spreadOf(own.map(({ p50 }) => p50)),
      hopRatio: name === DIRECT ? { p50: null, p99: null } : { p50: against('p50'), p99: against('p99') },
      calls: sum(stages.map(({ due }) => due)),
      counted: sum(own.map(({ counted }) => counted)),
      failed: sum(stages.map(({ failed, unanswered, shed }) => failed + unanswered + shed)),
      lateP99Ms: median(stages.map(({ lateMs }) => lateMs.p99)) ?? 0,
      rounds: rounds.length,
      ...eventsOf(rounds, { name, family }),
    }
  })
}

function eventsOf(rounds: readonly (readonly TargetCalls[])[], of: Pick<TargetCalls, 'name' | 'family'>) {
  const eventsIn = (targets: readonly TargetCalls[], name: string) =>
    targets.find((target) => label(target) === name)?.stage.events
  const own = rounds.map((targets) => eventsIn(targets, label(of)))
  const added = (which: 'p50' | 'p99') =>
    median(rounds.map((targets, round) => minus(own[round]?.delayMs[which], eventsIn(targets, DIRECT)?.delayMs[which])))
  const count = sum(own.map((events) => events?.count ?? 0))
  if (count === 0) return {}
  const joined = sum(own.map((events) => events?.joined ?? 0))
  return { events: { addedP50Ms: added('p50'), addedP99Ms: added('p99'), joined, count } }
}

function minus(value: number | undefined, other: number | undefined): number | null {
  return value === undefined || other === undefined ? null : value - other
}

interface Added {
  p50: number | null
  p99: number | null
  counted: number
}

const NOTHING: Added = { p50: null, p99: null, counted: 0 }

function addedBy(sorted: readonly number[], base: readonly number[]): Added {
  if (sorted.length === 0) return NOTHING
  const added = (share: number) => percentile(sorted, share) - percentile(base, share)
  return { p50: added(0.5), p99: added(0.99), counted: sorted.length }
}

/** A proxy that seems to add nothing was measured on a busy machine. */
function ratio(value: number | null, reference: number | null | undefined): number | null {
  return value == null || reference == null || reference <= 0 ? null : per(Math.max(0, value), reference)
}
