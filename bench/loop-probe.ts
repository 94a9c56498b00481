import { openSync, readSync, renameSync, writeFileSync } from 'node:fs'
import { PerformanceObserver } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

/**
 * Loaded into a gateway with `--import`: how long its event loop was held. A timer that is due every millisecond and
 * comes late says how long nothing else could run. On SIGUSR2 the longest holds so far go to the file named in
 * BENCH_HOLDS, and it begins anew. Never loaded where CPU time is measured, for it costs some itself.
 */
export interface Hold {
  /** Without the time in which the thread could have run but others had its core. */
  ms: number
  /** By the clock. */
  clockMs: number
  /** Of it the serving thread was at work; the rest it waited, for a disk or for its core. */
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

  const times = threadTimes()
  let last = { at: performance.now(), ...times() }
  setInterval(() => {
    const now = { at: performance.now(), ...times() }
    const clockMs = now.at - last.at - TICK_MS
    const ms = clockMs - (now.waitedMs - last.waitedMs)
    if (ms > (holds[KEPT - 1]?.ms ?? 0)) {
      holds.push({ ms, clockMs, cpuMs: now.ranMs - last.ranMs, collectingMs: 0, atMs: last.at })
      holds = holds.sort((a, b) => b.ms - a.ms).slice(0, KEPT)
    }
    last = now
  }, TICK_MS).unref()

  process.on('SIGUSR2', () => {
    // What was collected is told only after the fact.
    const text = JSON.stringify(holds.map((hold) => ({ ...hold, collectingMs: collectedIn(hold, collections) })))
    holds = []
    writeFileSync(`${path}.new`, text)
    renameSync(`${path}.new`, path)
  })
}

/** From the scheduler's account of this thread: how long it ran, and how long it was ready but had no core. */
function threadTimes(): () => { ranMs: number; waitedMs: number } {
  const file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r')
  const buffer = Buffer.alloc(64)
  return () => {
    const [ran, waited] = buffer.toString('latin1', 0, readSync(file, buffer, 0, 64, 0)).split(' ')
    return { ranMs: Number(ran) / 1e6, waitedMs: Number(waited) / 1e6 }
  }
}

function collectedIn(hold: Hold, collections: readonly { start: number; duration: number }[]): number {
  const end = hold.atMs + TICK_MS + hold.clockMs
  const within = collections.filter(({ start }) => start >= hold.atMs && start < end)
  return within.reduce((sum, { duration }) => sum + duration, 0)
}

const path = process.env['BENCH_HOLDS']
if (isMainThread && path !== undefined) watch(path)
