import { BODIES, type BodySize } from './bodies.ts'
import type { ClosedLoopResult } from './closed-loop.ts'
import { HOP } from './contestants.ts'
import { label } from './label.ts'
import { median } from './median.ts'
import { startPeer } from './peers.ts'
import { percentile } from './percentiles.ts'
import type { RunOptions } from './plan.ts'
import { cpuPerRequest, ratio, servingPerRequest } from './saturation.ts'
import {
  createScene,
  type Family,
  type GatewayOptions,
  type Scene,
  startBareProxy,
  startGateway,
  startUpstream,
  type Target,
} from './scene.ts'

/** CPU a call of one target while all of them are under load; the median of the rounds. */
export interface TogetherRow {
  name: string
  family: Family
  requests: number
  shed: number
  errors: number
  /** Null where the system does not tell. */
  cpuMicroseconds: number | null
  servingMicroseconds: number | null
  /** Against the bare proxy: the median of the ratios within a round, and the middle half of them. */
  hopRatio: number | null
  hopRatioSpan: [from: number, to: number] | null
  /** CPU a call in each round, to be set against another target's in the same. */
  eachRound: (number | null)[]
}

/** One target in one round. */
export interface Share {
  name: string
  family: Family
  load: ClosedLoopResult
}

/** Who takes part in a round, each with a process of its own: only so is its CPU time known. */
export type LineUp = (round: number) => readonly Target[]

export interface TogetherPlan {
  rounds: number
  seconds: number
  /** A young process is still being compiled; twice, for each side of an exchange. */
  warmupSeconds: number
}

/** What each call costs, with all of them busy at the same time on one core: decision 0018 says why. */
export async function measureTogether({ plan, peers, dist, progress }: RunOptions): Promise<TogetherRow[]> {
  await using scene = createScene()
  const upstream = (await startUpstream(scene)).atOnce
  const ours = await exchangedGateways(scene, { upstream, dist })
  const others = [await startBareProxy(scene, upstream, 'hop')]
  for (const peer of peers) others.push(...(await startPeer(scene, peer, upstream)).slice(0, 1))
  const rounds = await runTogether(scene, (round) => [...others, ...ours(round)], plan.together, progress)
  return togetherRows(rounds)
}

/** Two gateways, each with one family, which they exchange after every round: neither is measured by its own luck. */
export async function exchangedGateways(scene: Scene, options: GatewayOptions, body?: BodySize): Promise<LineUp> {
  const [one, two] = [await startGateway(scene, options), await startGateway(scene, options)]
  return (round) =>
    round % 2 === 0
      ? [one.target('openai', body), two.target('anthropic', body)]
      : [two.target('openai', body), one.target('anthropic', body)]
}

/**
 * The kernel lets one process after the other have the core for some milliseconds, so that whatever the host does meets
 * all of them alike, and the ratios within a round are steady where those of slices one after the other are not.
 */
export async function runTogether(
  scene: Scene,
  lineUp: LineUp,
  plan: TogetherPlan,
  progress: (text: string) => void,
  body: (typeof BODIES)[BodySize] = BODIES['1k'],
): Promise<Share[][]> {
  const run = (round: number, seconds: number) =>
    Promise.all(lineUp(round).map((target) => takeShare(scene, target, seconds, body)))
  for (const side of [0, 1]) {
    progress(`together: all warm up for ${plan.warmupSeconds} s`)
    await run(side, plan.warmupSeconds)
  }
  const rounds: Share[][] = []
  for (let round = 0; round < plan.rounds; round++) {
    const shares = await run(round, plan.seconds)
    rounds.push(shares)
    const costs = shares.map((share) => `${label(share)} ${cpuPerRequest(share.load)?.toFixed(0) ?? '–'} µs`)
    progress(`together, round ${round + 1} of ${plan.rounds}: ${costs.join(', ')}`)
  }
  return rounds
}

/** Until all have begun. */
const SHARE_WARMUP_SECONDS = 0.5

async function takeShare(
  scene: Scene,
  target: Target,
  seconds: number,
  { bytes, connections }: (typeof BODIES)[BodySize],
): Promise<Share> {
  const how = { bodyBytes: bytes, connections, warmupSeconds: SHARE_WARMUP_SECONDS, seconds }
  const load = await scene.load({ kind: 'closed', ...target, ...how })
  return { name: target.name, family: target.family, load }
}

/** In the order of the first round. */
export function togetherRows(rounds: readonly (readonly Share[])[]): TogetherRow[] {
  const costs = (name: string) =>
    rounds.map((shares) => {
      const share = shares.find((candidate) => label(candidate) === name)
      return share === undefined ? null : cpuPerRequest(share.load)
    })
  const ofHop = costs(HOP)
  return (rounds[0] ?? []).map(({ name, family }) => {
    const loads = rounds.flat().flatMap((share) => (label(share) === label({ name, family }) ? [share.load] : []))
    const eachRound = costs(label({ name, family }))
    return {
      name,
      family,
      requests: loads.reduce((sum, { requests }) => sum + requests, 0),
      shed: loads.reduce((sum, { shed }) => sum + shed, 0),
      errors: loads.reduce((sum, { errors }) => sum + errors, 0),
      cpuMicroseconds: median(eachRound),
      servingMicroseconds: median(loads.map(servingPerRequest)),
      hopRatio: median(ratiosWithin(eachRound, ofHop)),
      hopRatioSpan: middleHalf(ratiosWithin(eachRound, ofHop)),
      eachRound,
    }
  })
}

/** Round by round. */
export function ratiosWithin(costs: readonly (number | null)[], others: readonly (number | null)[]): number[] {
  return costs.map((cost, round) => ratio(cost, others[round] ?? null)).filter((found) => found !== null)
}

function middleHalf(values: readonly number[]): [number, number] | null {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted.length === 0 ? null : [percentile(sorted, 0.25), percentile(sorted, 0.75)]
}
