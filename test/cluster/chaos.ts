import { setTimeout as sleep } from 'node:timers/promises'
import { billOf } from '../crash/prices.ts'
import { readLog } from '../crash/read-log.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { documentedErrors, readKeys, readUsageSums } from './evidence.ts'
import { isServed, judge, type Verdict } from './judge.ts'
import { type Load, type SentCall, startLoad } from './load.ts'
import type { ClusterNode } from './node.ts'
import { startSampling } from './sample.ts'
import { PARTS, planStrikes, strikeText } from './schedule.ts'
import { playStrikes } from './strike.ts'
import { type ChaosKey, planWorkload, type Workload } from './workload.ts'

export interface ChaosOptions {
  seed: number
  durationMs: number
  /** Between two calls of one client, on average; there are twelve clients. */
  pauseMs: number
  /** How much happens in that time depends on the machine: the load continues until this is true. */
  isEnough?(calls: readonly SentCall[]): boolean
  /** A lease must run out, spools must arrive, counters be rebuilt. */
  settledWithinMs?: number
  say?(line: string): void
}

export interface ChaosReport extends Verdict {
  kills: number
  /** Of those that the nodes could have served while there was load, by the clock. */
  nodeSecondsUp: string
  /** From the end of the load until everything was delivered and every counter equal to the log. */
  settledAfterMs: number
}

const NODES = 3
/** Short, so that dead nodes are noticed within a run. */
const ENVIRONMENT = { LEASE_SECONDS: '4' }
const PROGRESS_MS = 5_000
const SAMPLED_EVERY_MS = 500
/** Of the differences that a node finds: more of them say no more. */
const TOLD = 6
const SETTLED_WITHIN_MS = 120_000
/** Times its planned length: a run that has not seen enough after that fails. */
const LONGEST = 3

/** Kills parts of a cluster under load by a seeded schedule, then compares what everybody saw. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { seed, durationMs, pauseMs, settledWithinMs = SETTLED_WITHIN_MS, say = () => {} } = options
  const { isEnough = () => true } = options
  const strikes = planStrikes({ seed, durationMs, parts: PARTS })
  say(`schedule of seed ${seed} for ${durationMs / 1000} s:`)
  for (const strike of strikes) say(strikeText(strike))
  const workload = planWorkload({ durationMs, pauseMs, longestMs: LONGEST * durationMs })
  const cluster = await startCluster({ nodes: NODES, config: workload.config, environment: ENVIRONMENT })
  let keepFolder = true
  const ends: (() => unknown)[] = []
  try {
    const { simulator } = cluster
    const keys = await readKeys(cluster.databaseUrl)
    const sampling = startSampling(cluster, {
      limits: limitsById(keys, workload),
      everyMs: SAMPLED_EVERY_MS,
      billed: (id) => billOf(simulator.bill.filter(({ marker }) => marker?.startsWith(`${keys.get(id)}-`))),
    })
    const load = startLoad({ url: cluster.front.url, seed, aliases: workload.aliases, pauseMs })
    const progress = setInterval(() => say(progressText(cluster, load)), PROGRESS_MS)
    // Everything ends, even after a failure below.
    ends.push(
      () => clearInterval(progress),
      () => load.stop(),
      () => sampling.stop(),
    )
    const begun = Date.now()
    const upBefore = upMs(cluster)
    const played = playStrikes(cluster, strikes, say)
    const problems: string[] = []
    await played.done.catch((error: Error) => problems.push(error.message))
    await sleep(Math.max(0, begun + durationMs - Date.now()))
    const goesOnUntil = Math.max(begun + LONGEST * durationMs, Date.now() + durationMs)
    while (!isEnough(load.calls) && Date.now() < goesOnUntil) {
      const node = cluster.front.streaming.findIndex((streams) => streams > 0)
      // No kill of the schedule met one, so it is met on purpose.
      if (node === -1 || load.calls.some(isCutStream)) await sleep(PROGRESS_MS / 100)
      else await played.strikeNow(PARTS[node] ?? 'node-1').catch((error: Error) => problems.push(error.message))
    }
    clearInterval(progress)
    await load.stop()
    const nodeSecondsUp = `${seconds(upMs(cluster) - upBefore)} of ${seconds(NODES * (Date.now() - begun))}`
    say('the load has ended; waiting until everything is delivered and every counter equals the log')
    const ended = Date.now()
    problems.push(...(await settle(cluster, load, settledWithinMs)))
    const settledAfterMs = Date.now() - ended
    const samples = await sampling.stop()
    problems.push(...(await stopInPeace(cluster)))
    const { rows, leftBehind } = await readLog(
      cluster.nodes.map((node) => node.dataDir),
      cluster.databaseUrl,
    )
    if (leftBehind > 0) problems.push(`${leftBehind} spooled rows did not reach the log`)
    problems.push(...(await readUsageSums(cluster.databaseUrl)))
    const verdict = judge({
      sent: load.calls,
      upstream: simulator.calls.filter((call) => call.method === 'POST'),
      rows,
      keys,
      cuts: cluster.front.cuts,
      kills: played.kills,
      limits: workload.limits,
      samples,
      bill: simulator.bill,
      documented: documentedErrors(),
    })
    problems.push(...verdict.problems)
    keepFolder = problems.length > 0
    return { kills: strikes.length, nodeSecondsUp, settledAfterMs, ...verdict, problems }
  } finally {
    for (const end of ends) await end()
    if (keepFolder) say(`what the nodes wrote is in ${cluster.folder}`)
    await cluster.stop({ keepFolder })
  }
}

/** Every node serves keys with and without a hard budget again, and finds its counters equal to the log. */
async function settle(cluster: Cluster, load: Load, withinMs: number): Promise<string[]> {
  const problems = await untilSettled(cluster, withinMs)
  for (const key of ['free', 'rich'] as const) {
    for (const _ of cluster.nodes) {
      const { token, ending } = await load.once(key)
      if (isServed(ending)) continue
      problems.push(`${token} was sent after everything had come back and ended as ${JSON.stringify(ending)}`)
    }
  }
  return problems.length > 0 ? problems : await untilSettled(cluster, withinMs)
}

async function untilSettled(cluster: Cluster, withinMs: number): Promise<string[]> {
  const deadline = Date.now() + withinMs
  for (;;) {
    const problems = (await Promise.all(cluster.nodes.map(unsettled))).flat()
    if (problems.length === 0 || Date.now() > deadline) return problems
    await sleep(500)
  }
}

async function unsettled({ name, url, manage }: ClusterNode): Promise<string[]> {
  try {
    const ready = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(10_000) })
    const { log } = (await ready.json()) as { log: { lag_rows: number } }
    if (ready.status !== 200 || log.lag_rows > 0) return [`${name} is ${ready.status}, ${log.lag_rows} rows behind`]
    const { status, json } = await manage('POST', '/verify')
    if (status !== 200) return [`${name} verifies: ${status} ${JSON.stringify(json)}`]
    const { differences, busy } = json as { differences: Record<string, string>[]; busy: number }
    if (busy > 0) return [`${name} verifies: ${busy} scopes never rest`]
    if (differences.length === 0) return []
    const reported = differences.slice(0, TOLD).map((each) => {
      return `${each['counter']} of ${each['scope']} ${each['name']} is ${each['ledger']}, the log says ${each['log']}`
    })
    return [`${name} finds ${differences.length} counters that differ from the log: ${reported.join('; ')}`]
  } catch (error) {
    return [`${name}: ${error}`]
  }
}

async function stopInPeace({ nodes }: Cluster): Promise<string[]> {
  const codes = await Promise.all(nodes.map((node) => node.stop()))
  const bad = codes.flatMap((code, index) => (code === 0 ? [] : [`node-${index + 1} stopped with ${code}`]))
  return [...bad, ...nodes.flatMap(({ name, ownEnds }) => (ownEnds() > 0 ? [`${name} has ended by itself`] : []))]
}

function isCutStream({ ending }: SentCall): boolean {
  return ending.kind === 'cut' && ending.sawContent
}

function upMs({ nodes }: Cluster): number {
  return nodes.reduce((sum, node) => sum + node.upMs(), 0)
}

function seconds(ms: number): number {
  return Math.round(ms / 1000)
}

function progressText({ front, nodes }: Cluster, { calls }: Load): string {
  const served = calls.filter(({ ending }) => isServed(ending)).length
  const up = nodes.filter((node) => node.isUp()).length
  return `${calls.length} calls, ${served} served, ${front.cuts.length} cut off, ${up} nodes up`
}

function limitsById(keys: ReadonlyMap<string, ChaosKey>, { limits }: Workload): Map<string, bigint> {
  return new Map([...keys].flatMap(([id, key]) => (limits.has(key) ? [[id, limits.get(key) ?? 0n]] : [])))
}
