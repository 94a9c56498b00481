import { fileURLToPath } from 'node:url'

/** A file beside package.json: one folder up in development and two in the published package. */
export function packagePath(name: string): string {
  const root = import.meta.url.endsWith('.ts') ? '../' : '../../'
  return fileURLToPath(new URL(root + name, import.meta.url))
}
