import { existsSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { basename, join } from 'node:path'
import threads from 'node:worker_threads'

/**
 * Loaded before each test file of a whole run: worker threads of the gateway start from the built program. Their
 * sources are dozens of files, and hundreds of tests start two or three of these threads.
 */
const DIST = join(import.meta.dirname, '../dist')

class BuiltWorker extends threads.Worker {
  constructor(file: string | URL, options?: threads.WorkerOptions) {
    super(file instanceof URL ? builtOf(file) : file, { execArgv: [], ...options })
  }
}

function builtOf(source: URL): string | URL {
  const built = join(DIST, `${basename(source.pathname, '.ts')}.js`)
  return source.pathname.endsWith('-worker.ts') && existsSync(built) ? built : source
}

Object.assign(threads, { Worker: BuiltWorker })
syncBuiltinESMExports()
