import { renameSync, rmSync } from 'node:fs'
import { type Damage, SpoolReader } from './reader.ts'
import { removeReserve } from './reserve.ts'
import { ASIDE, listSegments } from './segments.ts'

/**
 * Removes the files of a spool that nobody writes any more, once the database has all of it. Those that could not be
 * read are kept aside. The folder and its id stay: its numbers must go on, should it be used again.
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
