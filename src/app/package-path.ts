import { fileURLToPath } from 'node:url'

/** A file beside package.json: two folders up from `src/app` in development, one up from `dist` when built. */
export function packagePath(name: string): string {
  const root = import.meta.url.endsWith('.ts') ? '../..' : '..'
  return fileURLToPath(new URL(`${root}/${name}`, import.meta.url))
}
