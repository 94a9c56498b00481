import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Every test there is, in one run of Node's own runner. More files at once than there are cores: most of them wait for
 * sockets, servers and timers.
 */
const files = globSync('{src,dashboard/src,simulator,demo,bench,test,scripts}/**/*.test.ts', {
  exclude: ['**/node_modules/**'],
}).sort((a, b) => turn(a) - turn(b) || (a < b ? -1 : 1))

/** The longest first: at the end nothing is left that one core would have to finish alone. */
function turn(file: string): number {
  const longest = [
    'test/cluster/chaos',
    'test/counters-crash',
    'test/management/docs',
    'test/cli/',
    'test/crash/',
    'test/dashboard/',
  ]
  const place = longest.findIndex((start) => file.startsWith(start))
  return place === -1 ? longest.length : place
}

const { status } = spawnSync(
  process.execPath,
  [
    '--test',
    '--test-concurrency=4',
    // Ends what hangs; a loaded machine takes several times as long as a calm one.
    '--test-timeout=600000',
    '--test-reporter=./scripts/test-reporter.ts',
    ...process.argv.slice(2),
    ...files,
  ],
  {
    stdio: 'inherit',
    // Hundreds of short processes read the same sources: compiled once, a command of ours takes half the time.
    env: { ...process.env, NODE_COMPILE_CACHE: join(import.meta.dirname, '../node_modules/.cache/compiled') },
  },
)
process.exit(status ?? 1)
