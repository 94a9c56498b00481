import { cpus, loadavg } from 'node:os'
import { CONNECTIONS } from '../load/bodies.ts'
import { median, sum } from '../load/percentiles.ts'
import { treeMicroseconds } from '../load/process-usage.ts'
import { type LatencyRow, measureGroups, warmUp } from '../parts/latency.ts'
import type { RunOptions } from '../plan.ts'
import { direct } from '../run/contestants.ts'
import { UNPINNED } from '../run/pinning.ts'
import { createScene, type Scene, startUpstream } from '../run/scene.ts'
import { type NodeSet, SETS, type Servers, type SetPlan, startServers, startSet, untilDelivered } from './node-sets.ts'
import { measureSharing, type SharingResult } from './sharing.ts'

/** One slice at saturation. CPU is in microseconds per call; null for a server that is not used. */
export interface Slice {
  requestsPerSecond: number
  nodesCpu: number
  postgresCpu: number | null
  valkeyCpu: number | null
  errors: number
}

/** One set of nodes; medians of its slices. */
export interface NodesRow extends Slice {
  name: string
  /** Against direct calls at the same time, at `RATE`; the provider takes 50 ms. */
  added: LatencyRow['added']
}

export interface NodesResult {
  startedAt: string
  node: string
  processor: string
  cores: number
  quick: boolean
  /** Of the machine, when it was over: others may have used it as well. */
  loadAverage: number
  rows: NodesRow[]
  /** Null: not measured. */
  sharing: SharingResult | null
}

export const RATE = 500
const FULL_ROUNDS = 5

/** All nodes share the cores of one machine, so CPU per call is the figure that counts. */
export async function measureNodes(
  options: RunOptions,
  plans: readonly SetPlan[] = SETS,
  measure: typeof measureSharing | null = measureSharing,
): Promise<NodesResult> {
  const startedAt = new Date().toISOString()
  // Each started process adds an exit listener.
  process.setMaxListeners(50)
  options.progress('nodes: PostgreSQL and Valkey start')
  await using servers = await startServers()
  const sharing = measure === null ? null : await measure(options, servers)
  const saturated = await measureSaturated(options, servers, plans)
  const latencies = await measureAdded(options, servers, plans)
  const rows = saturated.map((row) => {
    const { added, failed } = latencies.find(({ name }) => name === row.name) as LatencyRow
    return { ...row, added, errors: row.errors + failed }
  })
  const machine = { node: process.version, processor: cpus()[0]?.model ?? 'unknown processor', cores: cpus().length }
  const [loadAverage = 0] = loadavg()
  return { startedAt, ...machine, quick: options.plan.nodes.rounds < FULL_ROUNDS, loadAverage, rows, sharing }
}

async function measureSaturated({ plan, build, progress }: RunOptions, servers: Servers, plans: readonly SetPlan[]) {
  await using scene = createScene(UNPINNED)
  const { immediate } = await startUpstream(scene)
  const measured: { set: NodeSet; slices: Slice[] }[] = []
  for (const setPlan of plans) {
    const set = await startSet(scene, { upstream: immediate, build, servers }, setPlan)
    progress(`nodes: ${set.name} warms up`)
    await runSlice(scene, set, plan.warmupSeconds * set.nodes, servers)
    measured.push({ set, slices: [] })
  }
  for (let round = 1; round <= plan.nodes.rounds; round++) {
    for (const { set, slices } of measured) {
      progress(`nodes at saturation, round ${round} of ${plan.nodes.rounds}: ${set.name}`)
      slices.push(await runSlice(scene, set, plan.nodes.seconds, servers))
    }
  }
  return measured.map(({ set, slices }) => ({ name: set.name, ...medians(slices) }))
}

async function runSlice(scene: Scene, set: NodeSet, seconds: number, { postgres, valkey }: Servers): Promise<Slice> {
  const times = () => [
    sum(set.pids.map(treeMicroseconds)),
    treeMicroseconds(postgres.pid()),
    treeMicroseconds(valkey.pid()),
  ]
  const before = times()
  const how = { connections: CONNECTIONS, warmupSeconds: 0, seconds }
  const load = await scene.load({ kind: 'closed', ...set.target, ...how })
  await untilDelivered(set)
  const used = times().map((time, index) => (time - (before[index] ?? 0)) / Math.max(1, load.requests))
  const [nodesCpu = 0, postgresCpu = 0, valkeyCpu = 0] = used
  if (load.firstError !== null) process.stderr.write(`${set.name}: ${load.firstError}\n`)
  return {
    requestsPerSecond: load.requests / load.seconds,
    nodesCpu,
    postgresCpu: set.postgres ? postgresCpu : null,
    valkeyCpu: set.valkey ? valkeyCpu : null,
    errors: load.errors + load.shed,
  }
}

export function medians(slices: readonly Slice[]): Slice {
  const of = (figure: keyof Slice) => median(slices.map((slice) => slice[figure]))
  return {
    requestsPerSecond: of('requestsPerSecond') ?? 0,
    nodesCpu: of('nodesCpu') ?? 0,
    postgresCpu: of('postgresCpu'),
    valkeyCpu: of('valkeyCpu'),
    errors: sum(slices.map(({ errors }) => errors)),
  }
}

async function measureAdded({ plan, build, progress }: RunOptions, servers: Servers, plans: readonly SetPlan[]) {
  await using scene = createScene(UNPINNED)
  const { after50ms } = await startUpstream(scene)
  const groups = []
  for (const setPlan of plans) {
    const { target } = await startSet(scene, { upstream: after50ms, build, servers }, setPlan)
    progress(`nodes: ${setPlan.name} warms up`)
    await warmUp(scene, target, plan.warmupSeconds * setPlan.nodes)
    groups.push([direct(after50ms), target])
  }
  const { rates, seconds } = plan.latency
  return await measureGroups(
    scene,
    groups,
    { rates: [{ rate: RATE, rounds: rates[0]?.rounds ?? 1 }], seconds },
    progress,
  )
}
