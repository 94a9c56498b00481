import { mkdir, open, readFile, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { FeedFormat } from './feed-format.ts'
import type { FeedTarget } from './feed-target.ts'

export function folderTarget(folder: string, { extension, bytesOf }: FeedFormat): FeedTarget {
  const cursor = join(folder, 'cursor')
  return {
    rows: 10_000,
    cursor: () => readCursor(cursor),
    async write(name, lines) {
      await mkdir(folder, { recursive: true })
      await replaceFile(join(folder, `${name}.${extension}`), await bytesOf(lines))
    },
    save: (at) => replaceFile(cursor, at),
  }
}

export async function readCursor(path: string): Promise<string | null> {
  try {
    return (await readFile(path, 'utf8')).trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** On the disk, whole, before it has its name: a kill or a power failure leaves the old file or the new one. */
export async function replaceFile(path: string, content: string | Uint8Array): Promise<void> {
  const file = await open(`${path}.tmp`, 'w')
  try {
    await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(`${path}.tmp`, path)
  const folder = await open(dirname(path), 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
