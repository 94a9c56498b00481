import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** One hash of the content that a build depends on: a build from other sources must never run. */
export function sourceHash(root: string, patterns: readonly string[]): string {
  const hash = createHash('sha256')
  const files = globSync([...patterns], { cwd: root }).filter((file) => !file.endsWith('.test.ts'))
  for (const file of files.sort()) hash.update(`${file}\0`).update(readFileSync(join(root, file)))
  return hash.digest('hex')
}

/** Reports on standard error that something takes a moment, and how long it took. */
export async function announced(what: string, work: () => Promise<void>): Promise<void> {
  // Its own line: on a terminal Vite clears the one that the cursor is in.
  process.stderr.write(`Building ${what}, once …\n`)
  const startedAt = performance.now()
  await work()
  process.stderr.write(`Built ${what} in ${((performance.now() - startedAt) / 1000).toFixed(1)} s.\n`)
}
