import { readFileSync } from 'node:fs'

export interface ProcessUsage {
  /** All threads together. */
  cpuMicroseconds: number
  /** The thread that serves: what is left over went to workers and to garbage collection. */
  mainThreadMicroseconds: number
  rssBytes: number
}

/** Linux counts process time in hundredths of a second for programs, whatever the kernel's own clock is. */
const TICK_MICROSECONDS = 10_000

/** What a process has used so far, from `/proc`; null where there is none. */
export function readUsage(pid: number): ProcessUsage | null {
  try {
    const rss = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return {
      cpuMicroseconds: cpuOf(`/proc/${pid}/stat`),
      mainThreadMicroseconds: cpuOf(`/proc/${pid}/task/${pid}/stat`),
      rssBytes: Number(rss ?? 0) * 1024,
    }
  } catch {
    return null
  }
}

function cpuOf(path: string): number {
  const stat = readFileSync(path, 'utf8')
  // The program's name stands in brackets and may contain blanks; utime and stime are the 12th and 13th field after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_MICROSECONDS
}
