import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ClosedLoopResult } from './closed-loop.ts'
import { watchRss } from './memory.ts'
import { type OpenLoopResult, STEP_MS, type StageResult } from './open-loop.ts'
import type { RunOptions } from './plan.ts'
import { type BenchGateway, createScene, startGateway, startUpstream } from './scene.ts'

/** Twice as many calls as one core can serve, and what is left of them. */
export interface OverloadResult {
  /** What it can take, by a closed loop. */
  saturationRate: number
  before: StageResult
  during: StageResult
  after: StageResult
  /** From the end of the overload until every call of half a second is served as fast as before; null: not within the run. */
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
/**
 * Few callers wait longer than a second for a connection. Without an end to it the load would still send, long after the
 * overload, what nobody waits for any more, and that would be measured as the gateway's recovery.
 */
const GIVE_UP_MS = 1_000

/** Without a rate to double it finds one first. */
export async function measureOverload(options: RunOptions, knownRate: number | null): Promise<OverloadResult> {
  const { plan, progress, dist } = options
  await using scene = createScene()
  const gateway = await startGateway(scene, { upstream: (await startUpstream(scene)).atOnce, dist })
  const target = gateway.target('openai')
  const saturate = (seconds: number) =>
    scene.load({ kind: 'closed', ...target, bodyBytes: 0, connections: 32, warmupSeconds: 0, seconds })
  await saturate(plan.warmupSeconds)
  const saturationRate = knownRate ?? perSecond(await saturate(plan.quietSeconds))
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
    giveUpMs: GIVE_UP_MS,
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

function perSecond({ requests, seconds }: ClosedLoopResult): number {
  return requests / seconds
}

/** Slower than the slowest of the quiet time by this much is not yet as before. */
const TOLERANCE = 2
/** Good steps in a row that show that it is over: a machine may stumble again later for reasons of its own. */
const STEPS_TO_TELL = 5

export function recoveryMs(steps: OpenLoopResult['steps'], endSeconds: number, quietSeconds: number): number | null {
  const quiet = steps.slice(0, (quietSeconds * 1000) / STEP_MS)
  const normal = TOLERANCE * Math.max(...quiet.map(({ slowestOkMs }) => slowestOkMs))
  const end = Math.round((endSeconds * 1000) / STEP_MS)
  const isGood = ({ due, ok, slowestOkMs }: OpenLoopResult['steps'][number]) => ok === due && slowestOkMs <= normal
  for (let step = end; step + STEPS_TO_TELL <= steps.length; step++) {
    if (steps.slice(step, step + STEPS_TO_TELL).every(isGood)) return (step - end) * STEP_MS
  }
  return null
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
