import { readdirSync, readFileSync } from 'node:fs'

/** CPU time of one thread so far. */
export interface ThreadUsage {
  id: number
  name: string
  microseconds: number
}

export interface ProcessUsage {
  /** All threads together. */
  cpuMicroseconds: number
  /** The thread that serves: what is left over went to workers and to garbage collection. */
  mainThreadMicroseconds: number
  threads: ThreadUsage[]
  rssBytes: number
}

/** Linux counts process time in hundredths of a second for programs, whatever the kernel's own clock is. */
const TICK_MICROSECONDS = 10_000

/** What a process has used so far, from `/proc`; null where there is none. */
export function readUsage(pid: number): ProcessUsage | null {
  try {
    const threads = readdirSync(`/proc/${pid}/task`).map((id) => readThread(pid, Number(id)))
    const rss = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return {
      // The sum is exact but lacks threads that have ended; the process's own account has them, in whole ticks.
      cpuMicroseconds: Math.max(cpuOf(`/proc/${pid}/stat`), sumOf(threads)),
      mainThreadMicroseconds: threads.find(({ id }) => id === pid)?.microseconds ?? 0,
      threads,
      rssBytes: Number(rss ?? 0) * 1024,
    }
  } catch {
    return null
  }
}

function sumOf(threads: readonly ThreadUsage[]): number {
  return threads.reduce((sum, { microseconds }) => sum + microseconds, 0)
}

function readThread(pid: number, id: number): ThreadUsage {
  const folder = `/proc/${pid}/task/${id}`
  const name = readFileSync(`${folder}/comm`, 'utf8').trim()
  // The scheduler's own account is exact to the nanosecond; not every kernel keeps it.
  const exact = Number(readFileSync(`${folder}/schedstat`, 'utf8').split(' ')[0]) / 1_000
  return { id, name, microseconds: exact > 0 ? exact : cpuOf(`${folder}/stat`) }
}

function cpuOf(path: string): number {
  const stat = readFileSync(path, 'utf8')
  // The program's name stands in brackets and may contain blanks; utime and stime are the 12th and 13th field after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_MICROSECONDS
}

/** What was used between two readings, by thread; threads of one name (V8's own) are one. */
export function usedByThread(before: ProcessUsage, after: ProcessUsage): Map<string, number> {
  const began = new Map(before.threads.map(({ id, microseconds }) => [id, microseconds]))
  const used = new Map<string, number>()
  for (const { id, name, microseconds } of after.threads) {
    used.set(name, (used.get(name) ?? 0) + microseconds - (began.get(id) ?? 0))
  }
  return used
}
