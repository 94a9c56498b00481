import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AGENTS } from './versions.ts'

const CACHE = join(import.meta.dirname, '../../node_modules/.cache/agents')

/** The folder of these very versions. */
export const AGENTS_FOLDER = join(CACHE, Object.values(AGENTS).join('-'))

/** Installs them once; the reason why not, or null. Their install scripts are not needed and not run. */
export function installAgents(): string | null {
  if (existsSync(AGENTS_FOLDER)) return null
  // Under another name until all of it is there.
  const half = `${AGENTS_FOLDER}.${process.pid}`
  mkdirSync(half, { recursive: true })
  writeFileSync(join(half, 'package.json'), JSON.stringify({ private: true, dependencies: AGENTS }))
  const options = ['--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts', '--loglevel=error']
  const npm = spawnSync('npm', ['install', '--prefix', half, ...options], { cwd: half, encoding: 'utf8' })
  if (npm.status === 0) {
    renameSync(half, AGENTS_FOLDER)
    return null
  }
  rmSync(half, { recursive: true, force: true })
  return npm.error?.message ?? npm.stderr.trim().split('\n')[0] ?? `npm ended with ${npm.status}`
}
