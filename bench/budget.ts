import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BODIES } from './bodies.ts'
import { type CoreWatch, watchCore } from './core-watch.ts'
import { median } from './median.ts'
import { calmest, type Paced } from './pace.ts'
import { inRounds } from './rounds.ts'
import { cpuPerRequest, ratio } from './saturation.ts'
import {
  createScene,
  FAMILIES,
  type Family,
  type Scene,
  startBareProxy,
  startGateway,
  startUpstream,
  type Target,
} from './scene.ts'

/** CPU a call of the gateway over that of the bare proxy (hop) in the same run: ratios travel, microseconds do not. */
export type Ratios = Record<Family, number>

/** bench/budget.json. */
export interface Budget {
  measuredOn: string
  how: string
  cpuAgainstBareProxy: Ratios
}

export const RECORD_COMMAND = 'npm run bench -- --record-budget'
const FILE = join(import.meta.dirname, 'budget.json')
/** So much worse than recorded is no noise. */
const TOLERANCE = 1.25

export function readBudget(): Budget {
  return JSON.parse(readFileSync(FILE, 'utf8')) as Budget
}

export function writeBudget(cpuAgainstBareProxy: Ratios): void {
  const rounded = Object.fromEntries(FAMILIES.map((family) => [family, Number(cpuAgainstBareProxy[family].toFixed(2))]))
  const budget: Budget = {
    measuredOn: new Date().toISOString().slice(0, 10),
    how: `${RECORD_COMMAND}: CPU time a call of the gateway, all threads, over that of bench/bare-proxy.ts (hop); 1 KB bodies, 32 connections, median of the calmest quarter of slices that take turns`,
    cpuAgainstBareProxy: rounded as Ratios,
  }
  writeFileSync(FILE, `${JSON.stringify(budget, null, 2)}\n`)
}

/** What is dearer than the budget allows, in words; empty when nothing is. */
export function overBudget(measured: Ratios, { cpuAgainstBareProxy, measuredOn }: Budget): string[] {
  return FAMILIES.filter((family) => measured[family] > cpuAgainstBareProxy[family] * TOLERANCE).map((family) => {
    const [now, then] = [measured[family].toFixed(2), cpuAgainstBareProxy[family].toFixed(2)]
    return (
      `${family}: a call costs ${now} × the bare proxy; recorded on ${measuredOn}: ${then}, and ${TOLERANCE} × that is the limit. ` +
      `\`node bench/hop.ts --profile DIR\` shows where the time goes. If the cost is worth it: ${RECORD_COMMAND}.`
    )
  })
}

export interface BudgetRun {
  rounds: number
  sliceSeconds: number
  /** A young process is still being compiled. */
  warmupRequests: number
}

export async function measureRatios({ rounds, sliceSeconds, warmupRequests }: BudgetRun): Promise<Ratios> {
  await using scene = createScene()
  const upstream = (await startUpstream(scene)).atOnce
  const hop = await startBareProxy(scene, upstream, 'hop')
  // Other tests keep the machine busy: what is turned away for that would not be measured.
  const gateway = await startGateway(scene, { upstream, env: { OVERLOAD_MS: '0' } })
  const targets = { hop, openai: gateway.target('openai'), anthropic: gateway.target('anthropic') }
  const core = watchCore(scene, 'measured')
  for (const target of Object.values(targets)) await sliceOf(scene, core, target, 0, warmupRequests)
  const slices = new Map<Target, BudgetSlice[]>()
  await inRounds({ rounds, targets: Object.values(targets), isClose: () => true }, async (target) => {
    const slice = await sliceOf(scene, core, target, sliceSeconds, LEAST_REQUESTS)
    slices.set(target, [...(slices.get(target) ?? []), slice])
  })
  const cpuOf = (target: Target) => median(calmest(slices.get(target) ?? []).map(({ cpu }) => cpu))
  const against = (target: Target) => ratio(cpuOf(target), cpuOf(hop)) ?? Number.NaN
  return { openai: against(targets.openai), anthropic: against(targets.anthropic) }
}

const LEAST_REQUESTS = 500

interface BudgetSlice extends Paced {
  cpu: number | null
}

async function sliceOf(
  scene: Scene,
  core: CoreWatch,
  target: Target,
  seconds: number,
  leastRequests: number,
): Promise<BudgetSlice> {
  const { bytes, connections } = BODIES['1k']
  const how = { bodyBytes: bytes, connections, warmupSeconds: 0, seconds, leastRequests }
  const load = await scene.load({ kind: 'closed', ...target, ...how })
  if (load.errors > 0) throw new Error(`${target.name}, ${target.family}: ${load.errors} failed: ${load.firstError}`)
  return { cpu: cpuPerRequest(load), paceMs: await core.paceMs(load.window) }
}
