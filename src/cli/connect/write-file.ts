import {
  closeSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { CliError } from '../cli-error.ts'
import type { FilePlan } from './plan-files.ts'

/** Puts the new file in the place of the old one at once; the path of the backup, or null. */
export function writePlanned(plan: FilePlan, now: Date): string | null {
  const { target, before, after, mode } = plan
  if (before !== textOf(target)) throw new CliError(`${target} has changed meanwhile; nothing was written to it`, 1)
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
  const backup = before === null ? null : backUp(plan, before, now)
  const fresh = `${target}.switchyard-${process.pid}`
  try {
    create(fresh, after, mode, plan.owner)
    renameSync(fresh, target)
  } finally {
    rmSync(fresh, { force: true })
  }
  return backup
}

/** Beside the file, with its mode. */
function backUp({ target, owner }: FilePlan, before: string, now: Date): string {
  const stamp = now.toISOString().replace(/[-:]|\.\d+/g, '')
  for (let count = 0; ; count++) {
    const path = `${target}.backup-${stamp}${count === 0 ? '' : `-${count}`}`
    try {
      create(path, before, statSync(target).mode & 0o777, owner)
      return path
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    }
  }
}

function create(path: string, text: string, mode: number, owner: FilePlan['owner']): void {
  // Private until it has its mode.
  const file = openSync(path, 'wx', 0o600)
  try {
    writeFileSync(file, text)
    if (owner !== null && owner.uid !== process.getuid?.()) fchownSync(file, owner.uid, owner.gid)
    fchmodSync(file, mode)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
