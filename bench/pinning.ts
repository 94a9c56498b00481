import { spawnSync } from 'node:child_process'

/** Puts a program on a core of its own; without `taskset` it runs where the system likes. */
export interface Pinning {
  /** Null when pinned; else why not. */
  missing: string | null
  on(core: Core, args: readonly string[]): { command: string; args: string[] }
}

/** What is measured has one core to itself; load and upstream share the other. */
export type Core = 'measured' | 'around'

const NUMBER: Readonly<Record<Core, string>> = { measured: '0', around: '1' }

export function findPinning(): Pinning {
  const missing = whyNot()
  return {
    missing,
    on: (core, args) =>
      missing === null
        ? { command: 'taskset', args: ['-c', NUMBER[core], process.execPath, ...args] }
        : { command: process.execPath, args: [...args] },
  }
}

function whyNot(): string | null {
  for (const core of Object.values(NUMBER)) {
    const tried = spawnSync('taskset', ['-c', core, process.execPath, '--version'], { stdio: 'ignore' })
    if (tried.error !== undefined) return 'taskset is not installed'
    if (tried.status !== 0) return `core ${core} cannot be used`
  }
  return null
}
