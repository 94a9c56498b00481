import { readdirSync, readFileSync } from 'node:fs'

/** Linux counts process time in hundredths of a second for programs, whatever the kernel's own clock is. */
const TICK_MICROSECONDS = 10_000

interface Stat {
  parent: number
  /** Of the process itself and of those of its children that have ended. */
  microseconds: number
}

/** CPU time so far of a server that works in many processes, those that have ended included; 0 where there is none. */
export function treeMicroseconds(root: number): number {
  const stats = new Map<number, Stat>()
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? readStat(Number(name)) : null
    if (stat !== null) stats.set(Number(name), stat)
  }
  const sumOf = (pid: number): number => {
    const children = [...stats].filter(([, { parent }]) => parent === pid).map(([child]) => child)
    return (stats.get(pid)?.microseconds ?? 0) + children.reduce((sum, child) => sum + sumOf(child), 0)
  }
  return sumOf(root)
}

/** Zero when there is no such process. */
export function parentOf(pid: number): number {
  return readStat(pid)?.parent ?? 0
}

function readStat(pid: number): Stat | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The program's name stands in brackets and may contain blanks; after it: state, parent, … utime, stime, cutime, cstime.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
    return { parent: Number(fields[1]), microseconds: ticks * TICK_MICROSECONDS }
  } catch {
    return null
  }
}
