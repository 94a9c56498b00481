import { spawnSync } from 'node:child_process'

/** Puts a program on a core of its own; without `taskset` it runs where the system likes. */
export interface Pinning {
  /** Null when pinned; else why not. */
  missing: string | null
  /** Our own runtime with these arguments. */
  on(core: Core, args: readonly string[]): Command
  /** Any program. */
  any(core: Core, command: string, args: readonly string[]): Command
  /** This very process, threads included: what it asks and reads must not take time from what is measured. */
  moveSelf(core: Core): void
}

export interface Command {
  command: string
  args: string[]
}

/** What is measured has one core to itself; load and upstream share the other. */
export type Core = 'measured' | 'around'

const NUMBER: Readonly<Record<Core, string>> = { measured: '0', around: '1' }

export function findPinning(): Pinning {
  const missing = whyNot()
  const any = (core: Core, command: string, args: readonly string[]) =>
    missing === null
      ? { command: 'taskset', args: ['-c', NUMBER[core], command, ...args] }
      : { command, args: [...args] }
  const moveSelf = (core: Core) => {
    if (missing === null) spawnSync('taskset', ['-acp', NUMBER[core], String(process.pid)], { stdio: 'ignore' })
  }
  return { missing, any, moveSelf, on: (core, args) => any(core, process.execPath, args) }
}

/** Several gateways and their servers share all cores as they would on any machine. */
export const UNPINNED: Pinning = {
  missing: null,
  on: (_core, args) => ({ command: process.execPath, args: [...args] }),
  any: (_core, command, args) => ({ command, args: [...args] }),
  moveSelf() {},
}

function whyNot(): string | null {
  for (const core of Object.values(NUMBER)) {
    const tried = spawnSync('taskset', ['-c', core, process.execPath, '--version'], { stdio: 'ignore' })
    if (tried.error !== undefined) return 'taskset is not installed'
    if (tried.status !== 0) return `core ${core} cannot be used`
  }
  return null
}
