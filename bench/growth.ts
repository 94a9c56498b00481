import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { BODIES } from './bodies.ts'
import { median } from './median.ts'
import { addKeys, fillRows } from './million.ts'
import type { RunOptions } from './plan.ts'
import { readUsage } from './process-usage.ts'
import { cpuPerRequest } from './saturation.ts'
import { type BenchGateway, createScene, type Scene, startGateway, startUpstream } from './scene.ts'
import { tableText } from './table.ts'

/** Cost of a call by how much there is of something. */
export interface GrowthRow {
  what: string
  size: number
  cpuMicroseconds: number | null
  /** Against the smallest of its kind, slice by slice. */
  ratio: number | null
}

export interface GrowthResult {
  steps: { calls: number; rssBytes: number; cpuMicroseconds: number | null }[]
  rows: GrowthRow[]
}

const STEP_CALLS = 100_000

export async function measureGrowth(options: RunOptions): Promise<GrowthResult> {
  const { calls, keys, routes, rows: logged } = options.plan.growth
  const rows = [
    ...(await bySize('keys', keys, options, withKeys)),
    ...(await bySize('routes', routes, options, withRoutes)),
    ...(await bySize('rows in the log', logged, options, withRows)),
  ]
  return { steps: await overCalls(options, calls), rows }
}

/** Memory over many calls to one process. */
async function overCalls({ dist, progress }: RunOptions, calls: number): Promise<GrowthResult['steps']> {
  await using scene = createScene()
  const gateway = await startGateway(scene, { upstream: (await startUpstream(scene)).atOnce, dist })
  const steps: GrowthResult['steps'] = []
  for (let done = 0; done < calls; ) {
    const load = await runSlice(scene, gateway, 0, Math.min(STEP_CALLS, calls - done))
    done += load.requests
    const rssBytes = readUsage(gateway.running.pid)?.rssBytes ?? 0
    steps.push({ calls: done, rssBytes, cpuMicroseconds: cpuPerRequest(load) })
    progress(`growth: ${done} calls, ${(rssBytes / 1e6).toFixed(0)} MB`)
  }
  return steps
}

type Prepared = Partial<Parameters<typeof startGateway>[1]>
/** Prepares a data folder, or says what else the gateway is to be started with. */
type Prepare = (size: number, dataDir: string) => Promise<Prepared>

const withKeys: Prepare = async (size, dataDir) => {
  await addKeys(dataDir, size)
  return { dataDir }
}
const withRoutes: Prepare = async (size) => ({ moreRoutes: size })
const withRows: Prepare = async (size, dataDir) => {
  if (size > 0) await fillRows(dataDir, size)
  return { dataDir }
}

async function bySize(
  what: string,
  sizes: readonly number[],
  { plan, dist, progress }: RunOptions,
  prepare: Prepare,
): Promise<GrowthRow[]> {
  await using scene = createScene()
  const upstream = (await startUpstream(scene)).atOnce
  const gateways: BenchGateway[] = []
  for (const size of sizes) {
    progress(`growth: a gateway with ${size} ${what}`)
    const prepared = await prepare(size, mkdtempSync(join(scene.folder, 'size-')))
    gateways.push(await startGateway(scene, { upstream, dist, ...prepared }))
  }
  for (const gateway of gateways) await runSlice(scene, gateway, plan.warmupSeconds, 0)
  const costs: (number | null)[][] = []
  for (let round = 0; round < plan.rounds; round++) {
    const costsOfRound: (number | null)[] = []
    for (const gateway of gateways)
      costsOfRound.push(cpuPerRequest(await runSlice(scene, gateway, plan.sliceSeconds, 0)))
    costs.push(costsOfRound)
  }
  return sizes.map((size, index) => ({
    what,
    size,
    cpuMicroseconds: median(costs.map((round) => round[index] ?? null)),
    ratio: median(costs.map((round) => (round[index] ?? Number.NaN) / (round[0] ?? Number.NaN))),
  }))
}

async function runSlice(scene: Scene, gateway: BenchGateway, seconds: number, leastRequests: number) {
  const { bytes, connections } = BODIES['1k']
  const how = { bodyBytes: bytes, connections, warmupSeconds: 0, seconds }
  const least = leastRequests > 0 ? { leastRequests, extensionSeconds: 300 } : {}
  const load = await scene.load({ kind: 'closed', ...gateway.target('openai'), ...how, ...least })
  if (load.errors > 0) throw new Error(`${load.errors} calls failed: ${load.firstError}`)
  return load
}

export function growthText({ steps, rows }: GrowthResult): string {
  const memory = steps.map(({ calls, rssBytes, cpuMicroseconds }) => [
    String(calls),
    `${(rssBytes / 1e6).toFixed(0)} MB`,
    cpuMicroseconds?.toFixed(0) ?? '–',
  ])
  const costs = rows.map(({ what, size, cpuMicroseconds, ratio }) => [
    `${size} ${what}`,
    cpuMicroseconds?.toFixed(0) ?? '–',
    ratio?.toFixed(2) ?? '–',
  ])
  return `Growth\n\n${tableText([['calls so far', 'RSS', 'CPU µs/request'], ...memory])}\n${tableText([['', 'CPU µs/request', '× the least'], ...costs])}`
}
