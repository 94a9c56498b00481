import { CONNECTIONS } from '../load/bodies.ts'
import type { ClosedLoopResult } from '../load/closed-loop.ts'
import { median, type Spread, spreadOf, sum } from '../load/percentiles.ts'
import type { RunOptions, TogetherPlan } from '../plan.ts'
import { HOP, startBareProxy } from '../run/contestants.ts'
import { type GatewayOptions, startGateway } from '../run/gateway.ts'
import { startPeer } from '../run/peers.ts'
import { createScene, type Family, label, type Scene, startUpstream, type Target } from '../run/scene.ts'

/** CPU per call of one target while all of them are under load; the median of the rounds. */
export interface TogetherRow {
  name: string
  family: Family
  requests: number
  shed: number
  errors: number
  /** Null without `/proc`. */
  cpuMicroseconds: number | null
  servingMicroseconds: number | null
  /** Against the bare proxy: the median of the ratios within a round, and their spread. */
  hopRatio: number | null
  hopRatioSpread: Spread | null
  /** CPU per call in each round, to be compared with another target's in the same round. */
  eachRound: (number | null)[]
}

/** One target in one round. */
export interface Share {
  name: string
  family: Family
  load: ClosedLoopResult
}

/** The targets of a round, each with its own process: only then is its CPU time known. */
export type LineUp = (round: number) => readonly Target[]

/** CPU per call with all targets busy at the same time on one core; decision 0018 explains why. */
export async function measureTogether({ plan, peers, build, profile, progress }: RunOptions): Promise<TogetherRow[]> {
  await using scene = createScene()
  const upstream = (await startUpstream(scene)).immediate
  const nodeFlags = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]
  const ours = await exchangedGateways(scene, { upstream, build, nodeFlags })
  const others = [await startBareProxy(scene, upstream, 'hop')]
  for (const peer of peers) others.push(await startPeer(scene, peer, upstream))
  return togetherRows(await runTogether(scene, (round) => [...others, ...ours(round)], plan.together, progress))
}

/** Two gateways that exchange the families after every round, so that neither family depends on one process. */
export async function exchangedGateways(scene: Scene, options: GatewayOptions): Promise<LineUp> {
  const [one, two] = [await startGateway(scene, options), await startGateway(scene, options)]
  return (round) =>
    round % 2 === 0 ? [one.target('openai'), two.target('anthropic')] : [two.target('openai'), one.target('anthropic')]
}

/**
 * The kernel switches between the processes every few milliseconds, so the host's speed affects all of them alike, and
 * ratios within a round are steady where those of separate slices are not.
 */
export async function runTogether(
  scene: Scene,
  lineUp: LineUp,
  plan: TogetherPlan,
  progress: (text: string) => void,
): Promise<Share[][]> {
  const run = (round: number, seconds: number) =>
    Promise.all(lineUp(round).map((target) => takeShare(scene, target, seconds)))
  for (const role of [0, 1]) {
    progress(`together: all warm up for ${plan.warmupSeconds} s`)
    await run(role, plan.warmupSeconds)
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

/** Until all have begun; a share that is shorter is only tried out. */
const SHARE_WARMUP_SECONDS = 0.5

async function takeShare(scene: Scene, target: Target, seconds: number): Promise<Share> {
  const warmupSeconds = Math.min(SHARE_WARMUP_SECONDS, seconds)
  const how = { connections: CONNECTIONS, warmupSeconds, seconds }
  return { name: target.name, family: target.family, load: await scene.load({ kind: 'closed', ...how, ...target }) }
}

/** In the order of the first round. `reference`: what `hopRatio` refers to. */
export function togetherRows(rounds: readonly (readonly Share[])[], reference = HOP): TogetherRow[] {
  const loadsOf = (name: string) => rounds.map((shares) => shares.find((share) => label(share) === name)?.load)
  const costsOf = (name: string) => loadsOf(name).map((load) => (load === undefined ? null : cpuPerRequest(load)))
  const ofReference = costsOf(reference)
  return (rounds[0] ?? []).map(({ name, family }) => {
    const loads = loadsOf(label({ name, family })).filter((load) => load !== undefined)
    const eachRound = costsOf(label({ name, family }))
    const ratios = ratiosWithin(eachRound, ofReference)
    return {
      name,
      family,
      requests: sum(loads.map(({ requests }) => requests)),
      shed: sum(loads.map(({ shed }) => shed)),
      errors: sum(loads.map(({ errors }) => errors)),
      cpuMicroseconds: median(eachRound),
      servingMicroseconds: median(loads.map(({ usage, requests }) => per(usage?.servingMicroseconds, requests))),
      hopRatio: median(ratios),
      hopRatioSpread: spreadOf(ratios),
      eachRound,
    }
  })
}

/** Round by round. */
export function ratiosWithin(costs: readonly (number | null)[], others: readonly (number | null)[]): (number | null)[] {
  return costs.map((cost, round) => per(cost, others[round]))
}

export function cpuPerRequest({ usage, requests }: ClosedLoopResult): number | null {
  return per(usage?.cpuMicroseconds, requests)
}

export function per(value: number | null | undefined, divisor: number | null | undefined): number | null {
  return value == null || divisor == null || divisor === 0 ? null : value / divisor
}
