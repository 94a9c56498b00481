import { readdirSync, readFileSync } from 'node:fs'
import { sum } from './percentiles.ts'

export interface ProcessUsage {
  /** All threads together. */
  cpuMicroseconds: number
  /** The main thread, which serves; workers and garbage collection use the rest. */
  servingMicroseconds: number
  rssBytes: number
}

/** Linux reports process time to programs in hundredths of a second. */
const TICK_MICROSECONDS = 10_000

/** What a process has used so far, from `/proc`; null where there is none. */
export function readUsage(pid: number): ProcessUsage | null {
  try {
    const threads = new Map(readdirSync(`/proc/${pid}/task`).map((id) => [Number(id), threadMicroseconds(pid, id)]))
    const rss = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return {
      // The sum is exact but misses threads that have ended; the process total includes them, in whole ticks.
      cpuMicroseconds: Math.max(readStat(`/proc/${pid}`).own, sum([...threads.values()])),
      servingMicroseconds: threads.get(pid) ?? 0,
      rssBytes: Number(rss ?? 0) * 1024,
    }
  } catch {
    return null
  }
}

function threadMicroseconds(pid: number, id: string): number {
  const folder = `/proc/${pid}/task/${id}`
  // The scheduler's account is exact to the nanosecond, but not every kernel keeps it.
  const exact = Number(readFileSync(`${folder}/schedstat`, 'utf8').split(' ')[0]) / 1_000
  return exact > 0 ? exact : readStat(folder).own
}

/** Microseconds of the process, and with its children that have ended. */
function readStat(folder: string): { parent: number; own: number; withEnded: number } {
  const text = readFileSync(`${folder}/stat`, 'utf8')
  // The program's name is in parentheses and may contain blanks. After it: state, parent, … utime, stime, cutime, cstime.
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15)
  const own = (user + system) * TICK_MICROSECONDS
  return { parent: fields[1] ?? 0, own, withEnded: own + (endedUser + endedSystem) * TICK_MICROSECONDS }
}

/** CPU time so far of a server with many processes, including those that have ended. */
export function treeMicroseconds(root: number): number {
  return sum([...processTree(root).values()])
}

/** The CPU time of a process and of all below it, by their ids, each with its children that have ended. */
export function processTree(root: number): Map<number, number> {
  const stats = new Map<number, ReturnType<typeof readStat>>()
  for (const pid of readdirSync('/proc')) {
    try {
      if (/^\d+$/.test(pid)) stats.set(Number(pid), readStat(`/proc/${pid}`))
    } catch {
      // It has ended.
    }
  }
  const times = new Map([[root, stats.get(root)?.withEnded ?? 0]])
  // A map can grow while it is read: children are visited after their parents.
  for (const [pid] of times)
    for (const [child, { parent, withEnded }] of stats) if (parent === pid) times.set(child, withEnded)
  return times
}

/** Samples resident memory; `stop` returns the peak. */
export function watchRss(pid: number): { stop(): number } {
  let peak = 0
  const sample = () => {
    peak = Math.max(peak, readUsage(pid)?.rssBytes ?? 0)
  }
  const timer = setInterval(sample, 100)
  return {
    stop() {
      clearInterval(timer)
      sample()
      return peak
    },
  }
}
