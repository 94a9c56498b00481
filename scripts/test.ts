import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { run } from 'node:test'
import { startsProcesses } from '../test/starts-processes.ts'
import { buildDashboard } from './build-dashboard.ts'
import { buildServer } from './build-server.ts'
import report from './test-reporter.ts'

/**
 * Runs every test, or those whose path contains one of the arguments: `npm test -- test/cli migrations`.
 * `--quick` leaves out the files that start other processes.
 */
process.chdir(join(import.meta.dirname, '..'))
const isQuick = process.argv.includes('--quick')
const wanted = process.argv.slice(2).filter((argument) => argument !== '--quick')

/** These begin first, so that at the end no long file is left to run alone. A run prints the slowest ones. */
const LONGEST = ['test/cluster/chaos.test.ts', 'test/limits/counters-crash.test.ts', 'test/management/docs.test.ts']

const all = globSync('{src,dashboard/src,simulator,demo,bench,test,scripts}/**/*.test.ts', {
  exclude: ['**/node_modules/**'],
})
const gone = LONGEST.find((file) => !all.includes(file))
if (gone !== undefined) throw new Error(`${gone} does not exist: correct the list in scripts/test.ts`)

const matching = all.filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
const files = isQuick ? matching.filter((file) => !startsProcesses(file)) : matching
if (files.length === 0) throw new Error(`no test file matches ${wanted.join(' ')}`)
if (isQuick) console.log(`${matching.length - files.length} files left out: they start servers, browsers or programs\n`)

await buildDashboard({ force: false })
if (!isQuick) await buildServer({ force: false })
// Hundreds of processes load the same sources: with what V8 made of them kept, each loads them in half the time.
process.env['NODE_COMPILE_CACHE'] = resolve('node_modules/.cache/compiled')

const place = (file: string) => (LONGEST.includes(file) ? LONGEST.indexOf(file) : LONGEST.length)
const events = run({
  files: files.sort((a, b) => place(a) - place(b) || (a < b ? -1 : 1)).map((file) => resolve(file)),
  // More files at once than cores: most of them wait for sockets, servers and timers.
  concurrency: 2 * Math.min(availableParallelism(), 4),
  // Ends what hangs; a loaded machine needs several times as long as a quiet one.
  timeout: 600_000,
})
for await (const text of report(events, files.length)) process.stdout.write(text)
