import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A real file system of its own, so small that a test can fill it. */
export interface SmallDisk {
  folder: string
  /** Not a byte is left. */
  fill(): void
  /** What filled it is gone. */
  empty(): void
  unmount(): void
}

/** Null where this process may not mount anything. */
export function mountSmallDisk(megabytes: number): SmallDisk | null {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-disk-'))
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder])
  if (mounted.status !== 0) {
    rmdirSync(folder)
    return null
  }
  const filler = join(folder, 'filler')
  return {
    folder,
    fill() {
      const file = openSync(filler, 'a')
      for (let bytes = 1024 * 1024; bytes >= 1; ) {
        try {
          writeSync(file, Buffer.alloc(bytes, 1))
        } catch {
          bytes = Math.floor(bytes / 2)
        }
      }
      closeSync(file)
    },
    empty: () => rmSync(filler),
    unmount() {
      spawnSync('umount', ['--lazy', folder])
      rmdirSync(folder)
    },
  }
}
