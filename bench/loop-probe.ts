import { renameSync, writeFileSync } from 'node:fs'
import { PerformanceObserver } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

/**
 * Loaded into a gateway with `--import`: how long its event loop was held. A timer that is due every millisecond and
 * comes late says how long nothing else could run. On SIGUSR2 the longest holds so far go to the file named in
 * BENCH_HOLDS, and it begins anew. Never loaded where CPU time is measured, for it costs some itself.
 */
export interface Hold {
  /** By the clock. */
  ms: number
  /** Of it the serving thread was at work; the rest it waited for a disk, or for a core that others were using. */
  cpuMs: number
  /** Of it garbage collection. */
  collectingMs: number
  atMs: number
}

const KEPT = 10
const TICK_MS = 1

function watch(path: string): void {
  let holds: Hold[] = []
  let collections: { start: number; duration: number }[] = []
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) collections.push({ start: startTime, duration })
    collections = collections.slice(-1_000)
  }).observe({ entryTypes: ['gc'] })

  let last = performance.now()
  let lastCpu = process.threadCpuUsage()
  setInterval(() => {
    const now = performance.now()
    const cpu = process.threadCpuUsage()
    const ms = now - last - TICK_MS
    if (ms > (holds[KEPT - 1]?.ms ?? 0)) {
      const cpuMs = (cpu.user + cpu.system - lastCpu.user - lastCpu.system) / 1000
      holds.push({ ms, cpuMs, collectingMs: 0, atMs: last })
      holds = holds.sort((a, b) => b.ms - a.ms).slice(0, KEPT)
    }
    last = now
    lastCpu = cpu
  }, TICK_MS).unref()

  process.on('SIGUSR2', () => {
    // What was collected is told only after the fact.
    const text = JSON.stringify(holds.map((hold) => ({ ...hold, collectingMs: collectedIn(hold, collections) })))
    holds = []
    writeFileSync(`${path}.new`, text)
    renameSync(`${path}.new`, path)
  })
}

function collectedIn(hold: Hold, collections: readonly { start: number; duration: number }[]): number {
  const end = hold.atMs + TICK_MS + hold.ms
  const within = collections.filter(({ start }) => start >= hold.atMs && start < end)
  return within.reduce((sum, { duration }) => sum + duration, 0)
}

const path = process.env['BENCH_HOLDS']
if (isMainThread && path !== undefined) watch(path)
