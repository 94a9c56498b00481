import { openSync, readSync, renameSync, writeFileSync } from 'node:fs'
import { PerformanceObserver } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'
import { measurePace, slowdownsIn, warmUpPace } from './pace.ts'

/**
 * Loaded into a gateway with `--import`: how long its event loop was held. A timer that is due every millisecond and
 * comes late says how long nothing else could run. On SIGUSR2 the longest holds so far go to the file named in
 * BENCH_HOLDS, and it begins anew. Never loaded where CPU time is measured, for it costs some itself.
 */
export interface Hold {
  /** At the core's full speed, without the time in which the loop waited for events or others had its core. */
  ms: number
  /** The same at the speed that the core had. */
  measuredMs: number
  /** How many times slower than its full speed that was. */
  slowdown: number
  /** By the clock. */
  clockMs: number
  /** Of `measuredMs` the serving thread was at work; the rest it waited for a disk. */
  cpuMs: number
  /** Of it garbage collection. */
  collectingMs: number
  atMs: number
}

const KEPT = 10
const TICK_MS = 1

function watch(path: string): void {
  let seen: (Omit<Hold, 'ms' | 'slowdown' | 'collectingMs'> & { paceMs: number })[] = []
  warmUpPace()
  let collections: { start: number; duration: number }[] = []
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) collections.push({ start: startTime, duration })
    collections = collections.slice(-1_000)
  }).observe({ entryTypes: ['gc'] })

  const times = threadTimes()
  const look = () => ({ at: performance.now(), activeMs: performance.eventLoopUtilization().active, ...times() })
  let last = look()
  setInterval(() => {
    const now = look()
    const clockMs = now.at - last.at - TICK_MS
    // A host that wakes an idle core late makes the timer late too: the loop was idle then, and nothing held it.
    const measuredMs = Math.min(clockMs - (now.waitedMs - last.waitedMs), now.activeMs - last.activeMs)
    seen.push({ atMs: last.at, measuredMs, clockMs, cpuMs: now.ranMs - last.ranMs, paceMs: measurePace() })
    // What the looking itself takes is no hold.
    last = look()
  }, TICK_MS).unref()

  process.on('SIGUSR2', () => {
    const slowdowns = slowdownsIn(seen)
    const holds = seen.map(({ paceMs: _, ...hold }, index) => {
      const slowdown = slowdowns[index] ?? 1
      return { ...hold, ms: hold.measuredMs / slowdown, slowdown }
    })
    const longest = holds.sort((a, b) => b.ms - a.ms).slice(0, KEPT)
    // What was collected is told only after the fact.
    const told = longest.map((hold): Hold => ({ ...hold, collectingMs: collectedIn(hold, collections) }))
    writeFileSync(`${path}.new`, JSON.stringify(told))
    renameSync(`${path}.new`, path)
    seen = []
    last = look()
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

function collectedIn(
  { atMs, clockMs }: Pick<Hold, 'atMs' | 'clockMs'>,
  collections: readonly { start: number; duration: number }[],
): number {
  const end = atMs + TICK_MS + clockMs
  const within = collections.filter(({ start }) => start >= atMs && start < end)
  return within.reduce((sum, { duration }) => sum + duration, 0)
}

const path = process.env['BENCH_HOLDS']
if (isMainThread && path !== undefined) watch(path)
