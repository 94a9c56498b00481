import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { installAgents } from './install.ts'

/**
 * Real coding agents, unmodified, against the gateway in front of the simulator: `npm run test:agents`.
 * They run where nothing but the loopback interface exists, if the system lets us have such a place.
 */
process.chdir(join(import.meta.dirname, '../..'))

/** Its own network: as root, else as the root of a user namespace. */
const PLACES = [['--net'], ['--net', '--map-root-user']]
const ENTER = ['sh', '-c', 'ip link set lo up && exec "$@"', 'sh']

function lonelyPlace(): string[] {
  const place = PLACES.find((flags) => spawnSync('unshare', [...flags, ...ENTER, 'true']).status === 0)
  return place === undefined ? [] : ['unshare', ...place, ...ENTER]
}

function main(): number {
  const why = installAgents()
  if (why !== null) {
    process.stderr.write(`The agents cannot be installed, so nothing was tested: ${why}\n`)
    return process.env['CI'] ? 1 : 0
  }
  const place = lonelyPlace()
  const guard = place.length > 0 ? 'no network but loopback' : 'a proxy that refuses and records (no unshare here)'
  process.stdout.write(`What keeps the agents from the internet: ${guard}.\n`)
  const files = globSync('test/agents/*.test.ts').sort()
  const [command = '', ...args] = [...place, process.execPath, '--test', '--test-reporter=spec', ...files]
  return spawnSync(command, args, { stdio: 'inherit' }).status ?? 1
}

process.exitCode = main()
