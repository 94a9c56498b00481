import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { exchangedGateways, runTogether, togetherRows } from './parts/together.ts'
import type { TogetherPlan } from './plan.ts'
import { startBareProxy } from './run/contestants.ts'
import { OURS, SOURCES } from './run/gateway.ts'
import { createScene, FAMILIES, type Family, label, startUpstream } from './run/scene.ts'

/** CPU per call of the gateway over that of the bare proxy (hop): ratios carry over to other machines, times do not. */
export type Ratios = Record<(typeof FAMILIES)[number], number>

/** bench/budget.json. */
export interface Budget {
  measuredOn: string
  how: string
  cpuAgainstBareProxy: Ratios
}

const RECORD_COMMAND = 'npm run bench -- --record-budget'
const FILE = join(import.meta.dirname, 'budget.json')
/** A ratio this much worse is not noise, even while other tests keep all cores busy. */
const TOLERANCE = 1.5

/**
 * Recorded as it is enforced: in the first seconds V8 has not yet optimized much, and a ratio taken then says nothing
 * about one taken after a minute.
 */
export const BUDGET_PLAN: TogetherPlan = { rounds: 12, seconds: 1, warmupSeconds: 3 }

export function readBudget(): Budget {
  return JSON.parse(readFileSync(FILE, 'utf8')) as Budget
}

export function writeBudget(ratios: Ratios): string {
  const rounded = Object.fromEntries(FAMILIES.map((family) => [family, Number(ratios[family].toFixed(2))]))
  const budget: Budget = {
    measuredOn: new Date().toISOString().slice(0, 10),
    how: `${RECORD_COMMAND}: CPU time a call of the gateway, all threads, over that of bench/run/bare-proxy.ts (hop); 1 KB bodies, 32 connections each, all busy at the same time on one core, median of the ratios within ${BUDGET_PLAN.rounds} rounds, soon after the start`,
    cpuAgainstBareProxy: rounded as Ratios,
  }
  const text = `${JSON.stringify(budget, null, 2)}\n`
  writeFileSync(FILE, text)
  return text
}

/** One message for each family over its budget. */
export function overBudget(measured: Ratios, { cpuAgainstBareProxy, measuredOn }: Budget): string[] {
  return FAMILIES.filter((family) => measured[family] > cpuAgainstBareProxy[family] * TOLERANCE).map((family) => {
    const [now, then] = [measured[family].toFixed(2), cpuAgainstBareProxy[family].toFixed(2)]
    return (
      `${family}: a call costs ${now} × the bare proxy; recorded on ${measuredOn}: ${then}, and ${TOLERANCE} × that is the limit. ` +
      `\`npm run bench -- --only together --profile DIR\` writes CPU profiles. If the cost is worth it: ${RECORD_COMMAND}.`
    )
  })
}

export async function measureRatios(plan = BUDGET_PLAN): Promise<Ratios> {
  await using scene = createScene()
  const upstream = (await startUpstream(scene)).immediate
  const hop = await startBareProxy(scene, upstream, 'hop')
  // Other tests keep the machine busy; shed calls would not be measured.
  const ours = await exchangedGateways(scene, { upstream, build: SOURCES, env: { OVERLOAD_MS: '0' } })
  const rows = togetherRows(
    await runTogether(
      scene,
      (round) => [hop, ...ours(round)],
      plan,
      () => {},
    ),
  )
  for (const row of rows) if (row.errors > 0) throw new Error(`${label(row)}: ${row.errors} calls failed`)
  const of = (family: Family) => rows.find((row) => row.name === OURS && row.family === family)?.hopRatio ?? Number.NaN
  return { openai: of('openai'), anthropic: of('anthropic') }
}
