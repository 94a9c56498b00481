import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const CACHE = fileURLToPath(new URL('../node_modules/.cache', import.meta.url))

/** The Python of a virtual environment with this package, or why there is none. It is made once and kept. */
export function pythonWith(name: string): { python: string } | { missing: string } {
  const folder = join(CACHE, `python-${name}`)
  const python = join(folder, 'bin', 'python')
  const complete = join(folder, 'complete')
  if (existsSync(complete)) return { python }
  process.stderr.write(`installing Python's package ${name} …\n`)
  const run = (program: string, ...words: string[]) =>
    execFileSync(program, words, { stdio: ['ignore', 'ignore', 'pipe'], timeout: 600_000 })
  try {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(CACHE, { recursive: true })
    run('python3', '-m', 'venv', folder)
    run(python, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-compile', name)
    writeFileSync(complete, '')
    return { python }
  } catch (error) {
    const reason = String(error instanceof Error ? error.message : error)
      .trim()
      .split('\n')
      .at(-1)
    return { missing: `Python's package ${name} could not be installed: ${reason}` }
  }
}
