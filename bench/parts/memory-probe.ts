import { renameSync, writeFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

/**
 * Loaded into the measured process with `--import` and `--expose-gc`. SIGUSR2 collects the garbage and writes the bytes
 * of the heap that are left to the file named in BENCH_MEMORY_REPORT.
 */
const path = process.env['BENCH_MEMORY_REPORT']
if (isMainThread && path !== undefined) {
  process.on('SIGUSR2', () => {
    globalThis.gc?.()
    writeFileSync(`${path}.new`, String(process.memoryUsage().heapUsed))
    renameSync(`${path}.new`, path)
  })
}
