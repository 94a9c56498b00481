import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { SETTINGS } from '../../src/app/config.ts'
import { builtinProviders } from '../../src/providers/provider-kinds.ts'
import type { Json } from '../harness.ts'

export const ROOT = join(import.meta.dirname, '../..')

/** The documents of a YAML file of `deploy/`; what YAML only warns of is an error here. */
export function readManifest(path: string): Json[] {
  return parseAllDocuments(readFileSync(join(ROOT, path), 'utf8'), { merge: true }).map((document) => {
    const problem = document.errors[0] ?? document.warnings[0]
    if (problem !== undefined) throw problem
    return document.toJS()
  })
}

/** Every variable that a gateway reads. */
export function knownVariables(): Set<string> {
  const ofProviders = builtinProviders().flatMap((builtin) => [builtin.apiKeyVariable, builtin.baseUrlVariable])
  return new Set([...Object.keys(SETTINGS), ...ofProviders])
}

/** Seconds of `75s` or `2m`. */
export function secondsOf(text: string): number {
  const [, number = '', unit = ''] = /^(\d+)([sm])$/.exec(text) ?? []
  if (number === '') throw new Error(`${text} is no time`)
  return Number(number) * (unit === 'm' ? 60 : 1)
}
