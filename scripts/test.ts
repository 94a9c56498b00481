import { globSync, mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { run } from 'node:test'
import { pathToFileURL } from 'node:url'
import { mayShareProcess, onlyComputes, startsProcesses } from '../test/starts-processes.ts'
import { buildDashboard } from './build-dashboard.ts'
import { buildServer } from './build-server.ts'
import report from './test-reporter.ts'

/**
 * Runs every test, or those whose path contains one of the arguments: `npm test -- test/cli migrations`.
 * `--quick` leaves out the files that start other processes, and the longest. `--nightly` takes everything at length,
 * and the files called `*.nightly.test.ts`: real peers, measurements, hundreds of calls while gateways restart.
 */
process.chdir(join(import.meta.dirname, '..'))
const isQuick = process.argv.includes('--quick')
const isNightly = process.argv.includes('--nightly')
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
if (isNightly) process.env['NIGHTLY'] = '1'

/**
 * What begins first, by the beginnings of paths, so that no long file is left to run alone at the end. A run prints the
 * slowest files: one that is missing here belongs here.
 */
const LONGEST = [
  'test/alerts/kill',
  'test/crash/crash',
  'test/cluster/chaos',
  'test/cluster/rolling-restart.nightly',
  'test/import/database.nightly',
  'bench/parts/parts.nightly',
  'test/threads/process',
  'test/calls/streams/python-clients',
  'test/cli/commands',
  'test/management/docs',
  'test/migrate/migrate',
  'test/management/budgets',
  'src/store/config-file/apply-config',
  'src/store/config-file/plan-config',
  'test/calls/overload',
  'test/calls/cache/nodes',
  'src/app/open-store',
  'test/program/pack',
  'test/calls/messages/python-client',
  'test/store/start-behind',
  'test/telemetry/tracing-modes',
  'test/calls/large-bodies',
  'bench/bytes',
  'test/prove/prove',
  'test/threads/threads',
  'test/cli/limits',
  'test/cli/connect/write',
  'src/limits/counters/ledger',
  'test/import/move-in',
  'test/migrate/backup',
  'test/feed/parquet',
  'src/limits/counters/leases',
  'test/calls/body-memory',
]

const found = globSync('{src,dashboard/src,simulator,demo,prove,bench,test,scripts}/**/*.test.ts', {
  // The agents are large: they have their own command.
  exclude: ['**/node_modules/**', 'test/agents/**'],
})
const gone = LONGEST.find((start) => !found.some((file) => file.startsWith(start)))
if (gone !== undefined) throw new Error(`No test file begins with ${gone}. Correct the list in scripts/test.ts.`)

const isOfTheNight = (file: string) => file.endsWith('.nightly.test.ts')
// One that is named is meant.
const all = found.filter((file) => isNightly || !isOfTheNight(file) || wanted.some((part) => part.includes('nightly')))
const matching = all.filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
const files = isQuick ? matching.filter((file) => place(file) === LONGEST.length && !startsProcesses(file)) : matching
if (files.length === 0) throw new Error(`No path of a test file contains ${wanted.join(' or ')}.`)
if (isQuick)
  console.log(
    `${matching.length - files.length} files left out: they start servers, browsers or programs, or take long\n`,
  )

await buildDashboard({ force: false })
await buildServer({ force: false })
// Hundreds of processes load the same sources: with what V8 made of them kept, each loads them in half the time.
process.env['NODE_COMPILE_CACHE'] = resolve('node_modules/.cache/compiled')

/**
 * Loading the gateway costs more than most of these files. So many run in one process, one after the other, under one
 * path. Each is a test of that process: its hooks are its own, and one that cannot be loaded fails alone.
 */
function together(most: number, what: string, files: readonly string[], around = { before: '', after: '' }): string[] {
  const count = Math.ceil(files.length / most)
  return Array.from({ length: count }, (_, group) => {
    const own = files.filter((_, index) => index % count === group)
    const path = resolve(`node_modules/.cache/tests/${own.length} ${what}, ${group + 1}.mjs`)
    mkdirSync(join(path, '..'), { recursive: true })
    const urls = own.map((file) => [file, pathToFileURL(resolve(file)).href])
    const text = `import { test } from 'node:test'
${around.before}
for (const [file, url] of ${JSON.stringify(urls, null, 2)}) await test(file, () => import(url).then(() => {}))
${around.after}
`
    writeFileSync(path, text)
    return path
  })
}

function place(file: string): number {
  const index = LONGEST.findIndex((start) => file.startsWith(start))
  return index === -1 ? LONGEST.length : index
}

/** A file whose process does not end must not block the run: `run` itself would wait for ever. */
const SILENCE_MS = 1_200_000
const hung = new AbortController()
let silence = setTimeout(() => hung.abort(), SILENCE_MS)

const ordered = files.sort((a, b) => place(a) - place(b) || (a < b ? -1 : 1))
const isLong = (file: string) => place(file) < LONGEST.length
const isWalk = (file: string) => file.startsWith('test/dashboard/') && mayShareProcess(file) && !onlyComputes(file)
const walks = ordered.filter(isWalk)
const shared = ordered.filter((file) => !isWalk(file) && !isLong(file) && mayShareProcess(file))
const CHROMIUM = JSON.stringify(pathToFileURL(resolve('test/dashboard/chromium.ts')).href)
const groups = [
  ...together(5, 'walks through the dashboard', walks, {
    before: "process.env.KEEP_CHROMIUM = ''",
    after: `await (await import(${CHROMIUM})).endChromium()`,
  }),
  ...together(
    12,
    'files with servers',
    shared.filter((file) => !onlyComputes(file)),
  ),
  ...together(40, 'small files', shared.filter(onlyComputes)),
]
const alone = ordered.filter((file) => !shared.includes(file) && !walks.includes(file))
const starts = [...alone.filter(isLong), ...groups, ...alone.filter((file) => !isLong(file))]

const events = run({
  files: starts.map((file) => resolve(file)),
  execArgv: ['--import', pathToFileURL(resolve('test/built-workers.ts')).href],
  // More files at once than cores: most of them wait for sockets, servers and timers.
  concurrency: Math.min(2 * availableParallelism(), 8),
  // Ends what hangs; a loaded machine needs several times as long as a quiet one.
  timeout: 900_000,
  signal: hung.signal,
})
for await (const text of report(events, starts.length)) {
  process.stdout.write(text)
  clearTimeout(silence)
  silence = setTimeout(() => hung.abort(), SILENCE_MS)
}
clearTimeout(silence)
