import { cpus, loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { CONNECTIONS, requestBody } from '../load/bodies.ts'
import { median, type Spread, spreadOf, sum } from '../load/percentiles.ts'
import { treeMicroseconds } from '../load/process-usage.ts'
import { per, ratiosWithin } from '../parts/together.ts'
import type { RunOptions } from '../plan.ts'
import { OURS, startGateway } from '../run/gateway.ts'
import { startPeer } from '../run/peers.ts'
import { pinSelf, UNPINNED } from '../run/pinning.ts'
import { createScene, type Scene, startUpstream, type Target } from '../run/scene.ts'

/** One target in one round. CPU is that of all its processes, from the first call until they are idle again. */
export interface Share {
  name: string
  requests: number
  errors: number
  seconds: number
  cpuMicroseconds: number
}

/** Against Switchyard in the same round: medians of the rounds. */
export interface Figures {
  cpuMicroseconds: number | null
  cpuRatio: number | null
  cpuRatioSpread: Spread | null
  rateRatio: number | null
  requests: number
  errors: number
}

export interface PeerRow {
  name: string
  does: string
  /** All busy at the same time, so that a rate says nothing. */
  oneCore: Figures
  /** Each alone in turn, on all cores together with load and provider. */
  allCores: Figures
}

export interface PeersResult {
  startedAt: string
  node: string
  processor: string
  cores: number
  /** Of the last minutes, at the end: what else the machine did. */
  loadAverage: number
  notPinned: string | null
  quick: boolean
  problems: string[]
  rows: PeerRow[]
}

const THREADS = `${OURS}, ${cpus().length} serving threads`
const OURS_DOES = 'keys, limits, hard budget, cost, durable log, metrics'

export async function measurePeers(options: RunOptions, problems: string[]): Promise<PeersResult> {
  const startedAt = new Date().toISOString()
  // First: what is started later inherits the core to which this process moves.
  const allCores = await measureOn(createScene(UNPINNED), options, false, problems)
  const pinning = pinSelf()
  const oneCore = await measureOn(createScene(pinning), options, true, problems)
  const does = new Map([OURS, THREADS].map((name) => [name, OURS_DOES]))
  for (const peer of options.peers) does.set(peer.name, peer.does)
  const rows = [...does].map(([name, text]) => ({
    ...{ name, does: text, oneCore: figuresOf(name, oneCore), allCores: figuresOf(name, allCores) },
  }))
  return {
    ...{ startedAt, node: process.version, processor: cpus()[0]?.model ?? 'unknown processor', cores: cpus().length },
    ...{ loadAverage: loadavg()[1] ?? 0, notPinned: pinning.missing, quick: options.plan.peers.rounds < FULL_ROUNDS },
    ...{ problems, rows: rows.filter(({ oneCore, allCores }) => oneCore.requests + allCores.requests > 0) },
  }
}

const FULL_ROUNDS = 8

async function measureOn(
  created: Scene,
  { plan, peers, build, progress }: RunOptions,
  isTogether: boolean,
  problems: string[],
): Promise<Share[][]> {
  await using scene = created
  const where = isTogether ? 'on one core' : 'on all cores'
  const { immediate } = await startUpstream(scene)
  // Many busy processes on one core are slow by design; shed calls would not be measured.
  const ours = async (name: string, threads: number) => {
    const env = { OVERLOAD_MS: '0', SERVING_THREADS: String(threads) }
    return (await startGateway(scene, { upstream: immediate, build: { ...build, name }, env })).target('openai')
  }
  const targets = [await ours(OURS, 1)]
  if (!isTogether) targets.push(await ours(THREADS, cpus().length))
  for (const peer of peers) {
    progress(`peers ${where}: ${peer.name} starts`)
    try {
      targets.push(await answering(await startPeer(scene, peer, immediate)))
    } catch (error) {
      problems.push(`${peer.name} is not measured ${where}: ${error instanceof Error ? error.message : error}`)
    }
  }
  for (const target of targets) {
    // Alone: with a share of a core its code would still be being compiled when the rounds begin.
    progress(`peers ${where}: ${target.name} warms up for ${plan.peers.warmupSeconds} s`)
    await takeShare(scene, target, plan.peers.warmupSeconds)
  }
  const groups = isTogether ? [targets] : targets.map((target) => [target])
  const rounds: Share[][] = []
  for (let round = 1; round <= plan.peers.rounds; round++) {
    const shares: Share[] = []
    for (const group of groups)
      shares.push(...(await Promise.all(group.map((target) => takeShare(scene, target, plan.peers.seconds)))))
    rounds.push(shares)
    const costs = shares.map((share) => `${share.name} ${per(share.cpuMicroseconds, share.requests)?.toFixed(0)} µs`)
    progress(`peers ${where}, round ${round} of ${plan.peers.rounds}: ${costs.join(', ')}`)
  }
  return rounds
}

/** A gateway that refuses every call would seem to be fast. */
async function answering(target: Target): Promise<Target> {
  const { url, path, headers, model } = target
  const answer = await fetch(url + path, { method: 'POST', headers, body: requestBody(model) })
  const text = await answer.text()
  if (answer.status !== 200 || !text.includes('"usage"')) throw new Error(`it answers ${answer.status} ${text}`)
  return target
}

async function takeShare(scene: Scene, target: Target, seconds: number): Promise<Share> {
  const { pid } = target
  const read = () => (pid === null ? 0 : treeMicroseconds(pid))
  const before = read()
  const how = { connections: CONNECTIONS, warmupSeconds: 0, seconds, drain: true }
  const load = await scene.load({ kind: 'closed', ...how, ...target })
  const cpuMicroseconds = (await untilIdle(read, () => sleep(IDLE_MS))) - before
  if (load.firstError !== null) process.stderr.write(`${target.name}: ${load.firstError}\n`)
  const { requests, errors, shed } = load
  return { name: target.name, requests, errors: errors + shed, seconds: load.seconds, cpuMicroseconds }
}

const IDLE_MS = 1_000
/** Timers of an idle process use this much in that time. */
const IDLE_MICROSECONDS = 20_000
const MOST_PAUSES = 60

/** CPU time at the moment from which it hardly grows: log, metrics and garbage collection go on after the last answer. */
export async function untilIdle(read: () => number, pause: () => Promise<void>): Promise<number> {
  let used = read()
  for (let count = 0; count < MOST_PAUSES; count++) {
    await pause()
    const now = read()
    if (now - used <= IDLE_MICROSECONDS) return used
    used = now
  }
  return used
}

export function figuresOf(name: string, rounds: readonly (readonly Share[])[]): Figures {
  const of = (who: string) => rounds.map((shares) => shares.find((share) => share.name === who))
  const costs = (who: string) => of(who).map((share) => per(share?.cpuMicroseconds, share?.requests))
  const rates = (who: string) => of(who).map((share) => per(share?.requests, share?.seconds))
  const ratios = ratiosWithin(costs(name), costs(OURS))
  return {
    cpuMicroseconds: median(costs(name)),
    cpuRatio: median(ratios),
    cpuRatioSpread: spreadOf(ratios),
    rateRatio: median(ratiosWithin(rates(name), rates(OURS))),
    requests: sum(of(name).map((share) => share?.requests ?? 0)),
    errors: sum(of(name).map((share) => share?.errors ?? 0)),
  }
}
