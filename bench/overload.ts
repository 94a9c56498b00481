import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { watchRss } from './memory.ts'
import { type OpenLoopResult, STEP_MS, type StageResult } from './open-loop.ts'
import type { RunOptions } from './plan.ts'
import { type BenchGateway, createScene, startGateway, startUpstream } from './scene.ts'

/** Twice as many calls as one core can serve, and what is left of them. */
export interface OverloadResult {
  /** What it can take, by the closed loop of the same run. */
  saturationRate: number
  before: StageResult
  during: StageResult
  after: StageResult
  /** From the end of the overload until every call is served again, as fast as before; null: not within the run. */
  recoveryMs: number | null
  /** Answers of 200 that the caller saw and the log does not have. Zero is the promise. */
  missingFromLog: number
  rssPeakBytes: number
}

const QUIET_SHARE = 0.5
/**
 * Open before the load begins, as a load balancer keeps them: Node takes one new connection a turn of its loop, whatever
 * program it runs, and a flood of new ones would measure that.
 */
const CONNECTIONS = 2_000

export async function measureOverload(options: RunOptions, saturationRate: number): Promise<OverloadResult> {
  const { plan, progress, dist } = options
  await using scene = createScene()
  const gateway = await startGateway(scene, { upstream: (await startUpstream(scene)).atOnce, dist })
  const target = gateway.target('openai')
  await scene.load({
    kind: 'closed',
    ...target,
    bodyBytes: 0,
    connections: 32,
    warmupSeconds: 0,
    seconds: plan.warmupSeconds,
  })
  const loggedBefore = await rowsServed(gateway)
  const rate = Math.round(saturationRate)
  progress(`overload: ${2 * rate}/s for ${plan.overloadSeconds} s`)
  const rss = watchRss(gateway.running.pid)
  const quiet = Math.round(rate * QUIET_SHARE)
  const load = await scene.load({
    kind: 'open',
    ...target,
    bodyBytes: 0,
    connections: CONNECTIONS,
    allOpen: true,
    stages: [
      { rate: quiet, seconds: plan.quietSeconds },
      { rate: 2 * rate, seconds: plan.overloadSeconds },
      { rate: quiet, seconds: 2 * plan.quietSeconds },
    ],
  })
  const [before, during, after] = load.stages as [StageResult, StageResult, StageResult]
  const seen = load.stages.reduce((sum, { ok }) => sum + ok, 0)
  return {
    saturationRate,
    before,
    during,
    after,
    recoveryMs: recoveryMs(load.steps, plan.quietSeconds + plan.overloadSeconds, plan.quietSeconds),
    missingFromLog: Math.max(0, seen - ((await rowsServed(gateway)) - loggedBefore)),
    rssPeakBytes: rss.stop(),
  }
}

/** Slower than the slowest of the quiet time by this much is not yet as before. */
const TOLERANCE = 2

export function recoveryMs(steps: OpenLoopResult['steps'], endSeconds: number, quietSeconds: number): number | null {
  const quiet = steps.slice(0, (quietSeconds * 1000) / STEP_MS)
  const normal = TOLERANCE * Math.max(...quiet.map(({ slowestOkMs }) => slowestOkMs))
  const end = Math.round((endSeconds * 1000) / STEP_MS)
  const isBad = ({ due, ok, slowestOkMs }: OpenLoopResult['steps'][number]) => ok < due || slowestOkMs > normal
  const lastBad = steps.findLastIndex(isBad)
  if (lastBad === steps.length - 1) return null
  return Math.max(0, lastBad + 1 - end) * STEP_MS
}

/** Once all of the spool has reached the tables. */
async function rowsServed({ running, dataDir }: BenchGateway): Promise<number> {
  for (let waited = 0; waited < 60_000; waited += 100) {
    const metrics = await (await fetch(`${running.ready}/metrics`)).text()
    if (/^switchyard_log_lag_rows 0$/m.test(metrics)) break
    await sleep(100)
  }
  using db = new DatabaseSync(join(dataDir, 'switchyard.db'), { readOnly: true })
  return Number(
    db.prepare("select count(*) as count from requests where status = 200 and state = 'closed'").get()?.['count'],
  )
}
