import { spawnSync } from 'node:child_process'

/** The measured process has one core to itself; load and upstream share the other. */
const NUMBER = { measured: '0', around: '1' }
export type Core = keyof typeof NUMBER

/** Runs programs on a fixed core; without `taskset` the system decides. */
export interface Pinning {
  /** Why processes are not pinned; null when they are. */
  missing: string | null
  on(core: Core, command: string, args: readonly string[]): { command: string; args: string[] }
}

/** For several gateways with their servers, which share all cores. */
export const UNPINNED: Pinning = { missing: null, on: (_core, command, args) => ({ command, args: [...args] }) }

/** Also moves this process off the measured core. */
export function pinSelf(): Pinning {
  for (const core of Object.values(NUMBER)) {
    const { error, status } = spawnSync('taskset', ['-c', core, 'true'], { stdio: 'ignore' })
    if (error !== undefined) return { ...UNPINNED, missing: 'taskset is not installed' }
    if (status !== 0) return { ...UNPINNED, missing: `core ${core} is not available` }
  }
  spawnSync('taskset', ['-acp', NUMBER.around, String(process.pid)], { stdio: 'ignore' })
  return {
    missing: null,
    on: (core, command, args) => ({ command: 'taskset', args: ['-c', NUMBER[core], command, ...args] }),
  }
}
