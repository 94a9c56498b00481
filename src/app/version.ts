import { readFileSync } from 'node:fs'
import { packagePath } from './package-path.ts'

export function version(): string {
  const { version: found } = JSON.parse(readFileSync(packagePath('package.json'), 'utf8')) as { version: string }
  return found
}
