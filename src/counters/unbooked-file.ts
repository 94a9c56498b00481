import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Unbooked } from './upkeep.ts'

/** A file in the data folder: it is there while calls are under way that the counters do not know of. */
export function unbookedFile(dataDir: string): Unbooked {
  const path = join(dataDir, 'unbooked')
  let isMarked = existsSync(path)
  return {
    isMarked: () => isMarked,
    mark() {
      if (isMarked) return
      writeFileSync(path, '')
      isMarked = true
    },
    clear() {
      rmSync(path, { force: true })
      isMarked = false
    },
  }
}
