import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { BODIES, type BodySize } from './bodies.ts'
import { startWatchedGateway, type WatchedGateway } from './holds.ts'
import type { Hold } from './loop-probe.ts'
import { fillFolder } from './million.ts'
import type { StageResult } from './open-loop.ts'
import type { RunOptions } from './plan.ts'
import { ADMIN_KEY, bearer, createScene, type Scene, startUpstream } from './scene.ts'

/** Calls at 1,000/s while something else goes on: how long the event loop was held. */
export interface LoopRow {
  what: string
  longest: Hold
  /** Holds over ten milliseconds, at most ten are known. */
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
  const phase = async (what: string, disturb: Disturbance, seconds = plan.loopSeconds) => {
    progress(`event loop: ${RATE}/s for ${seconds} s, ${what}`)
    return { what, ...(await watch({ scene, gateway, seconds, disturb })) }
  }
  await phase('warming up', nothing, plan.warmupSeconds)
  const rows = [
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

async function watch(watched: Watched & { disturb: Disturbance }): Promise<Omit<LoopRow, 'what'>> {
  const { scene, gateway, seconds, disturb } = watched
  await gateway.holds()
  let over = false
  const disturbing = disturb(watched, () => over)
  const load = await scene.load({
    kind: 'open',
    ...gateway.target('openai'),
    bodyBytes: 0,
    connections: 4_000,
    stages: [{ rate: RATE, seconds }],
  })
  over = true
  const holds = await gateway.holds()
  await disturbing
  const stage = load.stages[0] as StageResult
  return {
    longest: holds[0] ?? { ms: 0, clockMs: 0, cpuMs: 0, collectingMs: 0, atMs: 0 },
    over10ms: holds.filter(({ ms }) => ms > 10).length,
    p50Ms: stage.okMs.p50,
    p99Ms: stage.okMs.p99,
    failed: stage.failed + stage.unanswered,
  }
}

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
