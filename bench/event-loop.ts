import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { BODIES, type BodySize } from './bodies.ts'
import { HOP } from './contestants.ts'
import { startWatchedGateway, startWatchedProxy, type WatchedGateway } from './holds.ts'
import { warmUp } from './latency.ts'
import type { Hold } from './loop-probe.ts'
import { median } from './median.ts'
import { fillFolder } from './million.ts'
import type { StageResult } from './open-loop.ts'
import type { Plan, RunOptions } from './plan.ts'
import { ADMIN_KEY, bearer, createScene, type Scene, startUpstream, type Target } from './scene.ts'

/** Calls at 1,000/s while something else goes on: how long the event loop was held. */
export interface LoopRow {
  what: string
  /** The longest of each slice, and of these the one in the middle: what happens in most slices, not what the host does. */
  longest: Hold
  /** The longest of all, at full speed and as it was. */
  worstMs: number
  worstMeasuredMs: number
  /** Holds over ten milliseconds in all slices; of one at most ten are known. */
  over10ms: number
  p50Ms: number
  p99Ms: number
  failed: number
}

const RATE = 1_000
/** Housekeeping begins a minute after the start. */
const RETENTION_AFTER_MS = 61_000
const KEYS = 1_000

export async function measureEventLoop(options: RunOptions): Promise<LoopRow[]> {
  const { plan, progress, dist } = options
  await using scene = createScene()
  const dataDir = mkdtempSync(join(scene.folder, 'filled-'))
  if (plan.loopRows > 0) {
    progress(`event loop: a log of ${plan.loopRows} rows is written`)
    await fillFolder(dataDir, plan.loopRows, KEYS)
  }
  const upstream = (await startUpstream(scene)).after50ms
  const env = { REQUEST_RETENTION_DAYS: '1' }
  const startedAt = performance.now()
  const gateway = await startWatchedGateway(scene, { upstream, dist, dataDir, env })
  const phase = async (what: string, disturb: Disturbance): Promise<LoopRow> => {
    progress(`event loop: ${RATE}/s for ${plan.loopSlices} × ${plan.loopSeconds} s, ${what}`)
    const slices: LoopSlice[] = []
    for (let slice = 0; slice < plan.loopSlices; slice++) {
      slices.push(await watch({ scene, gateway, seconds: plan.loopSeconds, disturb }))
    }
    return loopRow(what, slices)
  }
  const bare = await bareRow(scene, upstream, plan, progress)
  progress(`event loop: warming up for ${plan.warmupSeconds} s`)
  await warmUp(scene, gateway.target('openai'), plan.warmupSeconds)
  const rows = [
    bare,
    await phase('calls alone, checkpoints included', nothing),
    await phase('dashboard queries', dashboardQueries),
    await phase('exports of the log', exports),
    await phase('a body of 10 MB every second', bodies('10m')),
  ]
  if (plan.loopRows === 0) return rows
  await sleep(Math.max(0, RETENTION_AFTER_MS - (performance.now() - startedAt)))
  return [...rows, await phase('retention deletes', nothing)]
}

interface Watched {
  scene: Scene
  gateway: WatchedGateway
  seconds: number
}

/** Goes on until it is told to stop. */
type Disturbance = (watched: Watched, isOver: () => boolean) => Promise<void>

/** The floor: calls alone, at a process that does nothing else. */
async function bareRow(scene: Scene, upstream: string, plan: Plan, progress: RunOptions['progress']): Promise<LoopRow> {
  progress(`event loop: ${RATE}/s for ${plan.loopSlices} × ${plan.loopSeconds} s, ${HOP}`)
  const { target, holds } = await startWatchedProxy(scene, upstream)
  await warmUp(scene, target, plan.warmupSeconds)
  const slices: LoopSlice[] = []
  for (let slice = 0; slice < plan.loopSlices; slice++) {
    await holds()
    const load = await callsAt(scene, target, plan.loopSeconds)
    slices.push({ holds: await holds(), calls: load })
  }
  return loopRow(HOP, slices)
}

async function callsAt(scene: Scene, target: Target, seconds: number): Promise<StageResult> {
  const stages = [{ rate: RATE, seconds }]
  const load = await scene.load({ kind: 'open', ...target, bodyBytes: 0, connections: 4_000, stages })
  return load.stages[0] as StageResult
}

interface LoopSlice {
  holds: Hold[]
  calls: StageResult
}

async function watch(watched: Watched & { disturb: Disturbance }): Promise<LoopSlice> {
  const { scene, gateway, seconds, disturb } = watched
  await gateway.holds()
  let over = false
  const disturbing = disturb(watched, () => over)
  const calls = await callsAt(scene, gateway.target('openai'), seconds)
  over = true
  const holds = await gateway.holds()
  await disturbing
  return { holds, calls }
}

export function loopRow(what: string, slices: readonly LoopSlice[]): LoopRow {
  const longest = slices.map(({ holds }) => holds[0] ?? NO_HOLD).sort((a, b) => a.ms - b.ms)
  return {
    what,
    longest: longest[Math.floor(longest.length / 2)] ?? NO_HOLD,
    worstMs: longest.at(-1)?.ms ?? 0,
    worstMeasuredMs: Math.max(0, ...slices.flatMap(({ holds }) => holds.map(({ measuredMs }) => measuredMs))),
    over10ms: slices.flatMap(({ holds }) => holds).filter(({ ms }) => ms > 10).length,
    p50Ms: median(slices.map(({ calls }) => calls.okMs.p50)) ?? 0,
    p99Ms: median(slices.map(({ calls }) => calls.okMs.p99)) ?? 0,
    failed: slices.reduce((sum, { calls }) => sum + calls.failed + calls.unanswered, 0),
  }
}

const NO_HOLD: Hold = { ms: 0, measuredMs: 0, slowdown: 1, clockMs: 0, cpuMs: 0, collectingMs: 0, atMs: 0 }

const nothing: Disturbance = async () => {}

/** What the pages of the dashboard ask most. */
const QUESTIONS = [
  '/usage?interval=day&group_by=model',
  '/usage?interval=day&group_by=key',
  '/usage?interval=day',
  '/requests?limit=100',
  '/requests?status=error',
  '/budgets?limit=500',
  '/keys?limit=500',
  '/registry?limit=500',
  '/catalog?limit=500',
  '/audit?limit=500',
  '/status',
]

const dashboardQueries: Disturbance = async ({ gateway }, isOver) => {
  for (let turn = 0; !isOver(); turn++) {
    await read(gateway.running.ready + (QUESTIONS[turn % QUESTIONS.length] ?? ''))
    await sleep(20)
  }
}

const exports: Disturbance = async ({ gateway }, isOver) => {
  for (let turn = 0; !isOver(); turn++) {
    await read(`${gateway.running.ready}/requests/export?format=${turn % 2 === 0 ? 'ndjson' : 'csv'}`, isOver)
  }
}

function bodies(size: BodySize): Disturbance {
  const { bytes } = BODIES[size]
  return async ({ scene, gateway, seconds }) => {
    const target = gateway.target('openai', size)
    await scene.load({ kind: 'open', ...target, bodyBytes: bytes, connections: 20, stages: [{ rate: 1, seconds }] })
  }
}

async function read(url: string, isOver = () => false): Promise<void> {
  const cut = new AbortController()
  const answer = await fetch(url, { headers: bearer(ADMIN_KEY), signal: cut.signal })
  if (answer.status !== 200 || answer.body === null) throw new Error(`${url}: ${answer.status} ${await answer.text()}`)
  for await (const _ of answer.body) if (isOver()) break
  // Without this the connection of a half-read answer stays open, and the gateway's stop waits for it.
  cut.abort()
}
