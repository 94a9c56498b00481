import { cpus } from 'node:os'
import { BODIES } from './bodies.ts'
import { DIRECT, direct } from './contestants.ts'
import { median } from './median.ts'
import {
  type NodeSet,
  SETS,
  type Servers,
  type SetPlan,
  startNodeSets,
  startServers,
  untilDelivered,
} from './node-sets.ts'
import { UNPINNED } from './pinning.ts'
import type { RunOptions } from './plan.ts'
import { treeMicroseconds } from './process-tree.ts'
import { createScene, type Scene, startUpstream, type Target } from './scene.ts'

/** One set of nodes; the median over its rounds. Times are of calls, CPU is process time over calls. */
export interface NodesRow {
  name: string
  nodes: number
  requestsPerSecond: number
  p50Ms: number
  p99Ms: number
  /** Microseconds a call, at saturation; null where the server has no part. */
  cpu: { nodes: number; postgres: number | null; valkey: number | null }
  /** Against the direct call of the same round, at `rate`, the provider takes 50 ms. */
  added: { p50Ms: number; p99Ms: number }
  errors: number
  firstError: string | null
}

export interface NodesResult {
  startedAt: string
  node: string
  processor: string
  cores: number
  quick: boolean
  dist: boolean
  rounds: number
  sliceSeconds: number
  rate: number
  rows: NodesRow[]
}

const RATE = 500

/** How several gateways do on one machine: everything shares its cores, so CPU a call is the figure that counts. */
export async function measureNodes(options: RunOptions, sets: readonly SetPlan[] = SETS): Promise<NodesResult> {
  const { plan, dist, progress } = options
  const startedAt = new Date().toISOString()
  // Each process that is started listens for our end.
  process.setMaxListeners(50)
  progress('nodes: PostgreSQL and Valkey start')
  await using servers = await startServers()
  const busy = await measureBusy(options, servers, sets)
  const calm = await measureCalm(options, servers, sets)
  return {
    startedAt,
    node: process.version,
    processor: cpus()[0]?.model ?? 'unknown processor',
    cores: cpus().length,
    quick: plan.nodes.rounds < 5,
    dist,
    rounds: plan.nodes.rounds,
    sliceSeconds: plan.nodes.seconds,
    rate: RATE,
    rows: busy.map((row) => {
      const { added, errors, firstError } = calm.get(row.name) ?? {
        added: { p50Ms: 0, p99Ms: 0 },
        errors: 0,
        firstError: null,
      }
      return { ...row, added, errors: row.errors + errors, firstError: row.firstError ?? firstError }
    }),
  }
}

type Busy = Omit<NodesRow, 'added'>
type Slice = Omit<Busy, 'name' | 'nodes'>

async function measureBusy(options: RunOptions, servers: Servers, plans: readonly SetPlan[]): Promise<Busy[]> {
  const { plan, dist, progress } = options
  await using scene = createScene(UNPINNED)
  const { atOnce } = await startUpstream(scene)
  const sets = await startNodeSets(scene, { upstream: atOnce, dist, servers, sets: plans })
  for (const set of sets) {
    progress(`nodes: ${set.name} warms up`)
    await runSlice(scene, set, plan.warmupSeconds * set.nodes, servers)
  }
  const slices = new Map<string, Slice[]>(sets.map(({ name }) => [name, []]))
  for (let round = 1; round <= plan.nodes.rounds; round++) {
    for (const set of sets) {
      const slice = await runSlice(scene, set, plan.nodes.seconds, servers)
      slices.get(set.name)?.push(slice)
      const { requestsPerSecond, cpu } = slice
      const figures = `${requestsPerSecond.toFixed(0)}/s, ${cpu.nodes.toFixed(0)} µs a call in nodes`
      progress(`nodes at saturation, round ${round} of ${plan.nodes.rounds}: ${set.name} ${figures}`)
    }
  }
  return sets.map(({ name, nodes }) => ({ name, nodes, ...middle(slices.get(name) ?? []) }))
}

async function runSlice(scene: Scene, set: NodeSet, seconds: number, { pids }: Servers): Promise<Slice> {
  const read = () => ({
    nodes: set.pids.reduce((sum, pid) => sum + treeMicroseconds(pid), 0),
    postgres: treeMicroseconds(pids.postgres),
    valkey: treeMicroseconds(pids.valkey),
  })
  const { connections, bytes } = BODIES['1k']
  const before = read()
  const load = await scene.load({
    kind: 'closed',
    ...set.target,
    others: set.others,
    bodyBytes: bytes,
    connections,
    warmupSeconds: 0,
    seconds,
    pid: null,
  })
  await untilDelivered(set)
  const after = read()
  const calls = Math.max(1, load.requests)
  return {
    requestsPerSecond: load.requests / load.seconds,
    p50Ms: load.latencyMs.p50,
    p99Ms: load.latencyMs.p99,
    cpu: {
      nodes: (after.nodes - before.nodes) / calls,
      postgres: set.usesPostgres ? (after.postgres - before.postgres) / calls : null,
      valkey: set.usesValkey ? (after.valkey - before.valkey) / calls : null,
    },
    errors: load.errors + load.shed,
    firstError: load.firstError,
  }
}

export function middle(slices: readonly Slice[]): Slice {
  const of = (figure: (slice: Slice) => number | null) => median(slices.map(figure))
  return {
    requestsPerSecond: of((slice) => slice.requestsPerSecond) ?? 0,
    p50Ms: of((slice) => slice.p50Ms) ?? 0,
    p99Ms: of((slice) => slice.p99Ms) ?? 0,
    cpu: {
      nodes: of(({ cpu }) => cpu.nodes) ?? 0,
      postgres: of(({ cpu }) => cpu.postgres),
      valkey: of(({ cpu }) => cpu.valkey),
    },
    errors: slices.reduce((sum, { errors }) => sum + errors, 0),
    firstError: slices.find(({ firstError }) => firstError !== null)?.firstError ?? null,
  }
}

type Calm = Pick<NodesRow, 'added' | 'errors' | 'firstError'>

async function measureCalm(
  options: RunOptions,
  servers: Servers,
  plans: readonly SetPlan[],
): Promise<Map<string, Calm>> {
  const { plan, dist, progress } = options
  await using scene = createScene(UNPINNED)
  const { after50ms } = await startUpstream(scene)
  const sets = await startNodeSets(scene, { upstream: after50ms, dist, servers, sets: plans })
  const targets = [{ target: direct(after50ms), others: [] }, ...sets]
  for (const { target, others } of targets) {
    progress(`nodes: ${target.name} warms up`)
    await runStage(scene, target, others, plan.warmupSeconds * (1 + others.length))
  }
  const rounds: Map<string, Stage>[] = []
  const most = plan.rates[0]?.rounds ?? 1
  for (let round = 1; round <= most; round++) {
    const stages = new Map<string, Stage>()
    for (const { target, others } of targets) {
      const stage = await runStage(scene, target, others, plan.latencySeconds)
      stages.set(target.name, stage)
      const figures = `p50 ${stage.okMs.p50.toFixed(2)} ms, p99 ${stage.okMs.p99.toFixed(2)} ms`
      progress(`nodes at ${RATE}/s, round ${round} of ${most}: ${target.name} ${figures}`)
    }
    rounds.push(stages)
  }
  return new Map(sets.map(({ name }) => [name, calmOf(rounds, name)]))
}

type Stage = Awaited<ReturnType<typeof runStage>>

function calmOf(rounds: readonly Map<string, Stage>[], name: string): Calm {
  const own = rounds.flatMap((stages) => stages.get(name) ?? [])
  const added = (of: (stage: Stage) => number) =>
    median(
      rounds.map((stages) => {
        const [mine, theirs] = [stages.get(name), stages.get(DIRECT)]
        return mine === undefined || theirs === undefined ? null : of(mine) - of(theirs)
      }),
    ) ?? 0
  return {
    added: { p50Ms: added((stage) => stage.okMs.p50), p99Ms: added((stage) => stage.okMs.p99) },
    errors: own.reduce((sum, stage) => sum + stage.failed + stage.unanswered + stage.shed, 0),
    firstError: own.find(({ firstError }) => firstError !== null)?.firstError ?? null,
  }
}

const CONNECTIONS = 1_000
const SETTLE_SECONDS = 0.5

async function runStage(scene: Scene, target: Target, others: readonly string[], seconds: number) {
  const stages = [SETTLE_SECONDS, seconds].map((length) => ({ rate: RATE, seconds: length }))
  const load = await scene.load({ kind: 'open', ...target, others, bodyBytes: 0, connections: CONNECTIONS, stages })
  const measured = load.stages[1]
  if (measured === undefined) throw new Error('the load told nothing')
  return measured
}
