import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { OURS } from './contestants.ts'
import { label } from './label.ts'
import { createScene, FAMILIES, type Family, startBareProxy, startUpstream } from './scene.ts'
import { exchangedGateways, runTogether, type TogetherPlan, togetherRows } from './together.ts'

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
    how: `${RECORD_COMMAND}: CPU time a call of the gateway, all threads, over that of bench/bare-proxy.ts (hop); 1 KB bodies, 32 connections each, all busy at the same time on one core, median of the ratios within a round`,
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

export async function measureRatios(plan: TogetherPlan): Promise<Ratios> {
  await using scene = createScene()
  const upstream = (await startUpstream(scene)).atOnce
  const hop = await startBareProxy(scene, upstream, 'hop')
  // Other tests keep the machine busy: what is turned away for that would not be measured.
  const ours = await exchangedGateways(scene, { upstream, env: { OVERLOAD_MS: '0' } })
  const rows = togetherRows(
    await runTogether(
      scene,
      (round) => [hop, ...ours(round)],
      plan,
      () => {},
    ),
  )
  for (const row of rows) if (row.errors > 0) throw new Error(`${label(row)}: ${row.errors} calls failed`)
  const of = (family: Family) => rows.find((row) => row.name === OURS && row.family === family)?.hopRatio
  return { openai: of('openai') ?? Number.NaN, anthropic: of('anthropic') ?? Number.NaN }
}
