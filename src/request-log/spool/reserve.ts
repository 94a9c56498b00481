import { openSync, renameSync, rmSync, statSync } from 'node:fs'
import { open, rename, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'

/** Room for the ends of some thousands of calls: those that run when the disk turns out to be full. */
export const RESERVE_BYTES = 4 * 1024 * 1024
const PIECE = Buffer.alloc(256 * 1024)

function reservePath(folder: string): string {
  return join(folder, 'reserve')
}

export function hasReserve(folder: string): boolean {
  return statSync(reservePath(folder), { throwIfNoEntry: false })?.size === RESERVE_BYTES
}

/**
 * Writes the reserve, zeros throughout, which also shows that the disk takes what it is given. Not on a disk that it
 * would fill itself: others write there too.
 */
export async function makeReserve(folder: string): Promise<void> {
  const { bavail, blocks, bsize } = await statfs(folder)
  // Some file systems do not say how large they are.
  if (blocks > 0 && bavail * bsize < 2 * RESERVE_BYTES) {
    throw new Error(`ENOSPC: only ${bavail * bsize} bytes are free, ${2 * RESERVE_BYTES} are needed`)
  }
  const path = `${reservePath(folder)}.new`
  try {
    await using file = await open(path, 'w', 0o600)
    for (let at = 0; at < RESERVE_BYTES; at += PIECE.length) await file.write(PIECE, 0, PIECE.length, at)
    await file.datasync()
    await rename(path, reservePath(folder))
  } catch (error) {
    await rm(path, { force: true }).catch(() => {})
    throw error
  }
}

export function removeReserve(folder: string): void {
  for (const path of [reservePath(folder), `${reservePath(folder)}.new`]) rmSync(path, { force: true })
}

/**
 * The reserve becomes a file of the spool, overwritten from its start: its space on the disk is allocated, while
 * another process could take the space of a deleted file. Null: there is none.
 */
export function takeReserve(folder: string, path: string): number | null {
  if (!hasReserve(folder)) return null
  renameSync(reservePath(folder), path)
  return openSync(path, 'r+')
}
