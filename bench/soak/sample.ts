import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { percentilesOf } from '../load/percentiles.ts'
import { readUsage } from '../load/process-usage.ts'

/** What one stretch of a soak was like. */
export interface Sample {
  minutes: number
  calls: number
  rssMiB: number
  heapMiB: number | null
  handles: number
  databaseMiB: number
  spoolMiB: number
  p50Ms: number
  p99Ms: number
}

export interface Sampled {
  pid: number
  dataDir: string
  heapPath: string
}

export function takeSample(of: Sampled, { minutes, times }: { minutes: number; times: readonly number[] }): Sample {
  const { p50, p99 } = percentilesOf(times)
  return {
    minutes: Math.round(minutes * 10) / 10,
    calls: times.length,
    rssMiB: mebibytes(readUsage(of.pid)?.rssBytes ?? 0),
    heapMiB: readHeap(of.heapPath),
    handles: readdirSync(`/proc/${of.pid}/fd`).length,
    databaseMiB: mebibytes(bytesOf(of.dataDir, (name) => name.startsWith('switchyard.db'))),
    spoolMiB: mebibytes(bytesOf(join(of.dataDir, 'spool'), () => true)),
    p50Ms: tenths(p50),
    p99Ms: tenths(p99),
  }
}

/** Null until the probe has written it for the first time. */
function readHeap(path: string): number | null {
  try {
    return mebibytes(Number(readFileSync(path, 'utf8')))
  } catch {
    return null
  }
}

function bytesOf(folder: string, isMeant: (name: string) => boolean): number {
  const names = readdirSync(folder).filter(isMeant)
  return names.reduce((sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0), 0)
}

const mebibytes = (bytes: number) => tenths(bytes / 1024 / 1024)
const tenths = (value: number) => Math.round(value * 10) / 10
