import { setTimeout as sleep } from 'node:timers/promises'
import { readUsage, watchRss } from '../load/process-usage.ts'
import type { RunOptions } from '../plan.ts'
import { startContestants } from '../run/contestants.ts'
import { createScene, type Family, label, type Scene, startUpstream, type Target } from '../run/scene.ts'

/** Resident memory of a fresh process: idle, and with a thousand calls waiting for their provider. */
export interface MemoryRow {
  name: string
  family: Family
  rssIdleBytes: number
  rssInFlightBytes: number
  failed: number
}

export const IN_FLIGHT = 1_000
/** Alerts are first looked for after ten seconds, their workers end after one, and V8 keeps freed pages for eight. */
export const SETTLE_MS = 25_000

export async function measureMemory(options: RunOptions): Promise<MemoryRow[]> {
  await using scene = createScene()
  const { hop, ours, peers } = await startContestants(scene, (await startUpstream(scene)).after2s, options)
  await sleep(SETTLE_MS)
  const rows: MemoryRow[] = []
  // One family is enough: the second would find the memory of the first.
  for (const target of [hop, ...ours.slice(0, 1), ...peers]) {
    const rssIdleBytes = readUsage(target.pid ?? 0)?.rssBytes ?? 0
    options.progress(`memory: ${label(target)} with ${IN_FLIGHT} calls in flight`)
    const inFlight = await peakInFlight(scene, target, options.plan.memorySeconds)
    rows.push({ name: target.name, family: target.family, rssIdleBytes, ...inFlight })
  }
  return rows
}

export async function peakInFlight(scene: Scene, target: Target, seconds: number) {
  const watch = watchRss(target.pid ?? 0)
  const how = { connections: IN_FLIGHT, warmupSeconds: 0, seconds }
  const load = await scene.load({ kind: 'closed', ...target, ...how })
  return { rssInFlightBytes: watch.stop(), failed: load.errors }
}
