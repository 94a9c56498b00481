import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** The paths of all files in a folder and in its folders. */
export function filesUnder(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}
