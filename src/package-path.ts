import { fileURLToPath } from 'node:url'

/** A file beside package.json: one folder up, from `src/` in development and from `dist/` when built. */
export function packagePath(name: string): string {
  return fileURLToPath(new URL(`../${name}`, import.meta.url))
}
