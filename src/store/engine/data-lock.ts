import { DatabaseSync } from 'node:sqlite'
import { makePrivateFile } from './private-files.ts'
import { StoreError } from './store-error.ts'

export interface DataLock {
  release(): void
}

/**
 * One gateway per data folder. The lock is a transaction that never ends: the kernel frees it with the process,
 * also after kill -9, so there is no stale lock file to clean up.
 */
export function lockDataDir(path: string, dataDir: string): DataLock {
  makePrivateFile(path)
  const database = new DatabaseSync(path, { timeout: 0 })
  try {
    database.exec('begin exclusive')
  } catch {
    database.close()
    throw new StoreError(`the data folder ${dataDir} is in use by another running gateway: stop it or set DATA_DIR`)
  }
  return { release: () => database.close() }
}
