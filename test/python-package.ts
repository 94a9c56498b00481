import { execFileSync, type StdioOptions } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const CACHE = fileURLToPath(new URL('../node_modules/.cache', import.meta.url))

/** Several test files may want them at the same time: the first installs them, the others find them complete. */
const INSTALL = `folder="$1"
shift
[ -e "$folder/complete" ] && exit
rm -rf "$folder"
python3 -m venv "$folder"
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-compile "$@"
touch "$folder/complete"`

/** The Python of a virtual environment with these packages, or why there is none. It is made once and kept. */
export function pythonWith(...names: readonly string[]): { python: string } | { missing: string } {
  const folder = join(CACHE, `python-${names.join('-')}`)
  const python = join(folder, 'bin', 'python')
  const complete = join(folder, 'complete')
  if (existsSync(complete)) return { python }
  process.stderr.write(`installing Python's packages ${names.join(', ')} …\n`)
  const stdio: StdioOptions = ['ignore', 'ignore', 'pipe']
  try {
    mkdirSync(CACHE, { recursive: true })
    execFileSync('flock', [`${folder}.lock`, 'sh', '-ec', INSTALL, 'sh', folder, ...names], {
      stdio,
      timeout: 600_000,
    })
    return { python }
  } catch (error) {
    const reason = String(error instanceof Error ? error.message : error)
      .trim()
      .split('\n')
      .at(-1)
    return { missing: `Python's packages ${names.join(', ')} could not be installed: ${reason}` }
  }
}
