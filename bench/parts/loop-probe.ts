import { openSync, readSync, renameSync, writeFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

const TICK_MS = 1
const path = process.env['BENCH_LOOP_REPORT']
if (isMainThread && path !== undefined) watch(path)

/**
 * Loaded into the measured process with `--import`. A timer that is due every millisecond and comes late shows how long
 * the event loop was blocked. SIGUSR2 writes the longest block in milliseconds to the file named in BENCH_LOOP_REPORT
 * and starts anew. Never loaded where CPU time is measured, because it uses some itself.
 */
function watch(path: string): void {
  const schedstat = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r')
  const buffer = Buffer.alloc(64)
  const look = () => ({
    at: performance.now(),
    active: performance.eventLoopUtilization().active,
    /** Ready to run, but another process or thread had the core. */
    waited: Number(buffer.toString('latin1', 0, readSync(schedstat, buffer, 0, 64, 0)).split(' ')[1]) / 1e6,
  })
  let longest = 0
  let last = look()
  setInterval(() => {
    const now = look()
    const late = now.at - last.at - TICK_MS - (now.waited - last.waited)
    // A host that wakes an idle core late also delays the timer, but nothing blocked the loop then.
    longest = Math.max(longest, Math.min(late, now.active - last.active))
    last = now
  }, TICK_MS).unref()
  process.on('SIGUSR2', () => {
    writeFileSync(`${path}.new`, String(longest))
    renameSync(`${path}.new`, path)
    longest = 0
    last = look()
  })
}
