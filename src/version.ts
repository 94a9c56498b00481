import { readFileSync } from 'node:fs'

/** From package.json, one folder up in development and two in the published package. */
export function version(): string {
  const path = import.meta.url.endsWith('.ts') ? '../package.json' : '../../package.json'
  const { version: found } = JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as { version: string }
  return found
}
