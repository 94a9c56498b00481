import { readFileSync } from 'node:fs'

/** From package.json, two folders up in development and three in the published package. */
export function version(): string {
  const path = import.meta.url.endsWith('.ts') ? '../../package.json' : '../../../package.json'
  const { version: found } = JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as { version: string }
  return found
}
