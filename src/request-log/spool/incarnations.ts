import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { syncPath } from './segments.ts'

const FILE = 'incarnations'
/** A database from a backup knows an earlier one. */
const KEPT = 1_000

/** Each start gives the folder another one, so that a folder and its copy differ as soon as one of them is used. */
export function incarnationsOf(folder: string): string[] {
  try {
    return readFileSync(join(folder, FILE), 'utf8').split('\n').filter(Boolean)
  } catch {
    return []
  }
}

export function addIncarnation(folder: string, incarnation: string): void {
  const path = join(folder, FILE)
  const kept = [...incarnationsOf(folder), incarnation].slice(-KEPT)
  writeFileSync(`${path}.new`, `${kept.join('\n')}\n`, { flush: true, mode: 0o600 })
  renameSync(`${path}.new`, path)
  syncPath(folder)
}
