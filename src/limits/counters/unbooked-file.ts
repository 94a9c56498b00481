import { closeSync, existsSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Unbooked, UnbookedCall } from './unbooked.ts'

/** A file in the data folder with one line per call; deleted when all of them are booked. */
export function unbookedFile(dataDir: string): Unbooked {
  const path = join(dataDir, 'unbooked')
  let isEmpty = !existsSync(path)
  let file: number | null = null
  return {
    isEmpty: () => isEmpty,
    note({ id, position, keyId, workspace, startedAt }) {
      file ??= openSync(path, 'a', 0o600)
      writeSync(file, `${JSON.stringify([id, position, keyId, workspace, startedAt])}\n`)
      isEmpty = false
    },
    read: () => (isEmpty ? [] : readFileSync(path, 'utf8').split('\n').flatMap(callOf)),
    clear() {
      if (file !== null) closeSync(file)
      file = null
      rmSync(path, { force: true })
      isEmpty = true
    },
  }
}

/** A truncated last line is ignored: its call was not made, because it waits for the line. */
function callOf(line: string): UnbookedCall[] {
  try {
    const [id, position, keyId, workspace, startedAt] = JSON.parse(line) as [string, number, string, string, number]
    return [{ id, position, keyId, workspace, startedAt }]
  } catch {
    return []
  }
}
