import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { BODIES } from '../load/bodies.ts'
import type { StageResult } from '../load/open-loop.ts'
import { median, type Spread, spreadOf, sum } from '../load/percentiles.ts'
import type { RunOptions } from '../plan.ts'
import { startFilled } from '../rows/million.ts'
import { ADMIN_KEY, startGateway } from '../run/gateway.ts'
import { bearer, createScene, type Scene, startUpstream, type Target } from '../run/scene.ts'
import { CONNECTIONS, warmUp } from './latency.ts'

/** The longest block of the event loop at 1,000 calls a second while something else happens; medians of the slices. */
export interface LoopRow {
  what: string
  longestMs: number
  longestSpread: Spread | null
  worstMs: number
  p50Ms: number
  p99Ms: number
  failed: number
}

const RATE = 1_000
/** Retention starts a minute after the process. */
const RETENTION_AFTER_MS = 61_000
const KEYS = 1_000
const REPORT_WITHIN_MS = 5_000

export async function measureEventLoop({ plan, progress, build }: RunOptions): Promise<LoopRow[]> {
  await using scene = createScene()
  const { slices: most, seconds, rows: logged } = plan.eventLoop
  const dataDir = join(scene.folder, 'filled')
  await (await startFilled(dataDir, { rows: logged, keys: KEYS })).stop()
  const report = join(scene.folder, 'report')
  const gateway = await startGateway(scene, {
    upstream: (await startUpstream(scene)).after50ms,
    build,
    dataDir,
    nodeFlags: ['--import', join(import.meta.dirname, 'loop-probe.ts')],
    env: { BENCH_LOOP_REPORT: report, REQUEST_RETENTION_DAYS: '1' },
  })
  const startedAt = performance.now()
  const [url, target] = [gateway.running.ready, gateway.target('openai')]
  await warmUp(scene, target, plan.warmupSeconds)

  const phase = async (what: string, disturb: Disturbance = async () => {}) => {
    progress(`event loop: ${RATE}/s for ${most} × ${seconds} s, ${what}`)
    const slices: LoopSlice[] = []
    for (let slice = 0; slice < most; slice++) {
      await askProbe(gateway.running.pid, report)
      const over = new AbortController()
      const disturbing = disturb(url, over.signal)
      const calls = await callsAt(scene, target, RATE, seconds)
      over.abort()
      slices.push({ calls, longestMs: await askProbe(gateway.running.pid, report) })
      await disturbing
    }
    return loopRow(what, slices)
  }
  const largeBodies: Disturbance = async () =>
    void (await callsAt(scene, gateway.target('openai', '10m'), 1, seconds, BODIES['10m'].bytes))
  const rows = [
    await phase('calls alone, checkpoints included'),
    await phase('dashboard queries', reading(QUERIES)),
    await phase('exports of the log', reading(EXPORTS)),
    await phase('a body of 10 MB every second', largeBodies),
  ]
  if (logged === 0) return rows
  await sleep(Math.max(0, RETENTION_AFTER_MS - (performance.now() - startedAt)))
  return [...rows, await phase('retention deletes')]
}

/** What loop-probe.ts or memory-probe.ts reports. */
export async function askProbe(pid: number, report: string): Promise<number> {
  rmSync(report, { force: true })
  process.kill(pid, 'SIGUSR2')
  for (let waited = 0; !existsSync(report); waited += 20) {
    if (waited > REPORT_WITHIN_MS) throw new Error('the watched process does not report')
    await sleep(20)
  }
  return Number(readFileSync(report, 'utf8'))
}

interface LoopSlice {
  longestMs: number
  calls: StageResult
}

async function callsAt(scene: Scene, target: Target, rate: number, seconds: number, bodyBytes = 0) {
  const stages = [{ rate, seconds }]
  const load = await scene.load({ kind: 'open', ...target, bodyBytes, connections: CONNECTIONS, stages })
  return load.stages[0] as StageResult
}

function loopRow(what: string, slices: readonly LoopSlice[]): LoopRow {
  const longest = slices.map(({ longestMs }) => longestMs)
  return {
    what,
    longestMs: median(longest) ?? 0,
    longestSpread: spreadOf(longest),
    worstMs: Math.max(...longest),
    p50Ms: median(slices.map(({ calls }) => calls.okMs.p50)) ?? 0,
    p99Ms: median(slices.map(({ calls }) => calls.okMs.p99)) ?? 0,
    failed: sum(slices.map(({ calls }) => calls.failed + calls.unanswered)),
  }
}

/** Runs until the signal is aborted. */
type Disturbance = (url: string, over: AbortSignal) => Promise<void>

/** What the pages of the dashboard ask most. */
const QUERIES = [
  ...['/usage?interval=day&group_by=model', '/usage?interval=day&group_by=key', '/usage?interval=day', '/status'],
  ...['/requests?limit=100', '/requests?status=error', '/budgets?limit=500', '/keys?limit=500'],
  ...['/registry?limit=500', '/catalog?limit=500', '/audit?limit=500'],
]
const EXPORTS = ['/requests/export?format=ndjson', '/requests/export?format=csv']

function reading(paths: readonly string[]): Disturbance {
  return async (url, over) => {
    for (let turn = 0; !over.aborted; turn++) {
      const answer = await fetch(url + paths[turn % paths.length], { headers: bearer(ADMIN_KEY) })
      for await (const _ of answer.body ?? []) if (over.aborted) break
      await sleep(20)
    }
  }
}
