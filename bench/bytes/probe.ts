import { renameSync, writeFileSync } from 'node:fs'
import { GCProfiler, getHeapStatistics } from 'node:v8'
import { isMainThread } from 'node:worker_threads'

const path = process.env['BENCH_BYTES_REPORT']
if (isMainThread && path !== undefined) countBytes(path)

/**
 * Loaded into the measured process with `--import`. SIGUSR2 writes the bytes that the main thread has allocated on V8's
 * heap since the last one to the file named in BENCH_BYTES_REPORT: what the heap grew by between garbage collections,
 * which is exact where a sampling profiler estimates.
 */
function countBytes(path: string): void {
  let profiler = new GCProfiler()
  profiler.start()
  let before = getHeapStatistics().used_heap_size
  process.on('SIGUSR2', () => {
    const now = getHeapStatistics().used_heap_size
    let bytes = 0
    for (const { beforeGC, afterGC } of profiler.stop().statistics) {
      bytes += beforeGC.heapStatistics.usedHeapSize - before
      before = afterGC.heapStatistics.usedHeapSize
    }
    writeFileSync(`${path}.new`, String(bytes + now - before))
    renameSync(`${path}.new`, path)
    profiler = new GCProfiler()
    profiler.start()
    before = getHeapStatistics().used_heap_size
  })
}
