import { chmodSync, closeSync, openSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { errorText, type StoreLog } from './store-error.ts'

const OWNER_ONLY = 0o600
const OTHERS = 0o077
const OURS = /^(?:(?:switchyard|lock)\.db(?:-wal|-shm|-journal)?|secrets\.key|unbooked)$/

/**
 * Makes the file where SQLite would, with a mode of ours: the files that SQLite puts beside it take the mode of this one.
 * One that is there is not even opened, because to close it would free the locks that this process has on it.
 */
export function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', OWNER_ONLY))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** A restored backup may have files that others can read. Files that are not ours are left as they are. */
export function closeToOthers(dataDir: string, log: StoreLog): void {
  for (const path of ourFiles(dataDir)) {
    try {
      if ((statSync(path).mode & OTHERS) !== 0) chmodSync(path, OWNER_ONLY)
    } catch (error) {
      // Another user's file on a shared volume, or already deleted: no reason not to start.
      log.warn({ error: errorText(error) }, `cannot make ${path} readable for its owner alone: set its mode to 600`)
    }
  }
}

function ourFiles(dataDir: string): string[] {
  const spool = join(dataDir, 'spool')
  const own = readdirSync(dataDir).filter((name) => OURS.test(name))
  return [...own.map((name) => join(dataDir, name)), ...filesUnder(spool)]
}

/** Also in the folders of serving threads, which are not files themselves. */
function filesUnder(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  } catch {
    return []
  }
}
