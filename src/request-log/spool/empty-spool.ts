import { renameSync, rmSync } from 'node:fs'
import { type Damage, SpoolReader } from './reader.ts'
import { removeReserve } from './reserve.ts'
import { ASIDE, listSegments } from './segments.ts'

/**
 * Removes the files of a spool without a writer, once the database has all of it. Unreadable ones are set aside. The
 * folder and its id stay: its numbers must continue if it is used again.
 */
export function emptySpool(folder: string, damaged: ReadonlySet<string>, onDamage: (damage: Damage) => void): void {
  const reader = new SpoolReader(folder)
  const unread = reader.end()?.unread ?? null
  reader.close()
  if (unread !== null) onDamage(unread)
  for (const { path } of listSegments(folder)) {
    if (damaged.has(path) || path === unread?.path) renameSync(path, `${path}${ASIDE}`)
    else rmSync(path)
  }
  removeReserve(folder)
}
