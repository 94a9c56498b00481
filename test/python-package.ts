import { execFileSync, type StdioOptions } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const CACHE = fileURLToPath(new URL('../node_modules/.cache', import.meta.url))

/** Several test files may want the same one at the same time: the first installs it, the others find it complete. */
const INSTALL = `[ -e "$1/complete" ] && exit
rm -rf "$1"
python3 -m venv "$1"
"$1/bin/python" -m pip install --quiet --disable-pip-version-check --no-compile "$2"
touch "$1/complete"`

/** The Python of a virtual environment with this package, or why there is none. It is made once and kept. */
export function pythonWith(name: string): { python: string } | { missing: string } {
  const folder = join(CACHE, `python-${name}`)
  const python = join(folder, 'bin', 'python')
  const complete = join(folder, 'complete')
  if (existsSync(complete)) return { python }
  process.stderr.write(`installing Python's package ${name} …\n`)
  const stdio: StdioOptions = ['ignore', 'ignore', 'pipe']
  try {
    mkdirSync(CACHE, { recursive: true })
    execFileSync('flock', [`${folder}.lock`, 'sh', '-ec', INSTALL, 'sh', folder, name], { stdio, timeout: 600_000 })
    return { python }
  } catch (error) {
    const reason = String(error instanceof Error ? error.message : error)
      .trim()
      .split('\n')
      .at(-1)
    return { missing: `Python's package ${name} could not be installed: ${reason}` }
  }
}
