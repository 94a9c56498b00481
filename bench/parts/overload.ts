import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { STEP_MS, type StageResult, type Step } from '../load/open-loop.ts'
import { sum } from '../load/percentiles.ts'
import { watchRss } from '../load/process-usage.ts'
import type { RunOptions } from '../plan.ts'
import { type BenchGateway, startGateway } from '../run/gateway.ts'
import { createScene, startUpstream } from '../run/scene.ts'

/** Twice as many calls as one core can serve. */
export interface OverloadResult {
  /** Found by a closed loop. */
  saturationRate: number
  before: StageResult
  during: StageResult
  after: StageResult
  /** From the end of the overload until half a second of calls is served as fast as before; null: not within the run. */
  recoveryMs: number | null
  /** Answers with status 200 that the log does not have. Must be zero. */
  missingFromLog: number
  rssPeakBytes: number
}

const QUIET_SHARE = 0.5
/**
 * Opened before the load begins, as a load balancer keeps them: Node accepts one new connection per turn of its loop,
 * and a flood of new ones would measure that.
 */
const CONNECTIONS = 2_000
/** Few clients wait longer for a connection. Without a limit, the load would still send its backlog long after. */
const GIVE_UP_MS = 1_000

/** Finds the saturation rate first unless it is known. */
export async function measureOverload(options: RunOptions, knownRate: number | null): Promise<OverloadResult> {
  const { plan, progress, build } = options
  await using scene = createScene()
  const gateway = await startGateway(scene, { upstream: (await startUpstream(scene)).immediate, build })
  const call = { ...gateway.target('openai'), bodyBytes: 0 }
  const saturate = async (seconds: number) => {
    const load = await scene.load({ kind: 'closed', ...call, connections: 32, warmupSeconds: 0, seconds })
    return load.requests / load.seconds
  }
  await saturate(plan.warmupSeconds)
  const saturationRate = knownRate ?? (await saturate(plan.overload.quietSeconds))
  const loggedBefore = await rowsServed(gateway)
  const rate = Math.round(saturationRate)
  progress(`overload: ${2 * rate}/s for ${plan.overload.seconds} s`)
  const rss = watchRss(gateway.running.pid)
  const quiet = Math.round(rate * QUIET_SHARE)
  const stages = [
    { rate: quiet, seconds: plan.overload.quietSeconds },
    { rate: 2 * rate, seconds: plan.overload.seconds },
    { rate: quiet, seconds: 2 * plan.overload.quietSeconds },
  ]
  const how = { connections: CONNECTIONS, allOpen: true, giveUpMs: GIVE_UP_MS, stages }
  const load = await scene.load({ kind: 'open', ...call, ...how })
  const [before, during, after] = load.stages as [StageResult, StageResult, StageResult]
  const answered = sum(load.stages.map(({ ok }) => ok))
  return {
    saturationRate,
    before,
    during,
    after,
    recoveryMs: recoveryMs(load.steps, plan.overload.quietSeconds + plan.overload.seconds, plan.overload.quietSeconds),
    missingFromLog: Math.max(0, answered - ((await rowsServed(gateway)) - loggedBefore)),
    rssPeakBytes: rss.stop(),
  }
}

/** Up to this much slower than the slowest quiet call counts as normal. */
const TOLERANCE = 2
/** So many good steps in a row: a machine may stumble again later for its own reasons. */
const GOOD_STEPS = 5

export function recoveryMs(steps: readonly Step[], endSeconds: number, quietSeconds: number): number | null {
  const quiet = steps.slice(0, (quietSeconds * 1000) / STEP_MS)
  const normal = TOLERANCE * Math.max(...quiet.map(({ slowestOkMs }) => slowestOkMs))
  const end = Math.round((endSeconds * 1000) / STEP_MS)
  const isGood = ({ due, ok, slowestOkMs }: Step) => ok === due && slowestOkMs <= normal
  for (let step = end; step + GOOD_STEPS <= steps.length; step++) {
    if (steps.slice(step, step + GOOD_STEPS).every(isGood)) return (step - end) * STEP_MS
  }
  return null
}

/** Waits until the spool is folded into the tables. */
async function rowsServed({ running, dataDir }: BenchGateway): Promise<number> {
  for (let waited = 0; waited < 60_000; waited += 100) {
    const metrics = await (await fetch(`${running.ready}/metrics`)).text()
    if (/^switchyard_log_lag_rows 0$/m.test(metrics)) break
    await sleep(100)
  }
  using db = new DatabaseSync(join(dataDir, 'switchyard.db'), { readOnly: true })
  const served = db.prepare("select count(*) as count from requests where status = 200 and state = 'closed'")
  return Number(served.get()?.['count'])
}
