import { setTimeout as sleep } from 'node:timers/promises'
import { COPY, startContestants } from './contestants.ts'
import { label } from './label.ts'
import type { RunOptions } from './plan.ts'
import { readUsage } from './process-usage.ts'
import { createScene, type Family, startUpstream } from './scene.ts'

/** What a fresh process keeps: idle, and with a thousand calls waiting for their provider. */
export interface MemoryRow {
  name: string
  family: Family
  rssIdleBytes: number
  rssInFlightBytes: number
  failed: number
}

const IN_FLIGHT = 1_000
/** V8 keeps the pages that it has freed for eight seconds, and the start's worker ends after one. */
const SETTLE_MS = 12_000

export async function measureMemory(options: RunOptions): Promise<MemoryRow[]> {
  await using scene = createScene()
  const upstream = await startUpstream(scene)
  const all = await startContestants(scene, upstream.after2s, options)
  // Either family would do, and the second would find the memory of the first.
  const targets = all.filter(({ name, pid, family }) => pid !== null && name !== COPY && family === 'openai')
  await sleep(SETTLE_MS)
  const rows: MemoryRow[] = []
  for (const target of targets) {
    const { name, family, pid } = target
    if (pid === null) continue
    const idle = readUsage(pid)?.rssBytes ?? 0
    options.progress(`memory: ${label(target)} with ${IN_FLIGHT} calls in flight`)
    const watch = watchRss(pid)
    const load = await scene.load({
      kind: 'closed',
      ...target,
      bodyBytes: 0,
      connections: IN_FLIGHT,
      warmupSeconds: 0,
      seconds: options.plan.memorySeconds,
    })
    rows.push({ name, family, rssIdleBytes: idle, rssInFlightBytes: watch.stop(), failed: load.errors })
  }
  return rows
}

/** The most there was. */
export function watchRss(pid: number): { stop(): number } {
  let most = 0
  const look = () => {
    most = Math.max(most, readUsage(pid)?.rssBytes ?? 0)
  }
  const timer = setInterval(look, 100)
  return {
    stop() {
      clearInterval(timer)
      look()
      return most
    },
  }
}
