import { renameSync, writeFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

/** Loaded into the measured gateway with `--import`: writes what its heap uses into the folder it was started in. */
const EVERY_MS = 5_000
if (isMainThread) {
  setInterval(() => {
    writeFileSync('heap.new', String(process.memoryUsage().heapUsed))
    renameSync('heap.new', 'heap')
  }, EVERY_MS).unref()
}
