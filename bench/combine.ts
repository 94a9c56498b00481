import type { LoadResult } from './load.ts'
import type { ProcessUsage } from './process-usage.ts'

/** One target under load for a few seconds. */
export interface Slice {
  name: string
  /** Before the first call; null where no process is measured. */
  idle: ProcessUsage | null
  load: LoadResult
}

/** A target over all its slices: the median of each figure. */
export interface Measurement {
  name: string
  requests: number
  errors: number
  requestsPerSecond: number
  p50Ms: number
  p99Ms: number
  /** Process time a request, all threads; null where nothing is measured or the system does not tell. */
  cpuMicroseconds: number | null
  mainThreadMicroseconds: number | null
  /** CPU a request against the reference of the same round. */
  cpuRatio: number | null
  /** Share of one core in use: well below 1 means that load, upstream or a stranger were the bottleneck. */
  coreShare: number | null
  rssIdleBytes: number | null
  rssAfterBytes: number | null
}

export function combine(slices: readonly Slice[], reference: string): Measurement[] {
  const names = [...new Set(slices.map((slice) => slice.name))]
  const of = (name: string) => slices.filter((slice) => slice.name === name).map((slice) => slice.load)
  const references = of(reference).map(cpuPerRequest)
  return names.map((name) => {
    const loads = of(name)
    return {
      name,
      requests: sum(loads.map((load) => load.requests)),
      errors: sum(loads.map((load) => load.errors)),
      requestsPerSecond: median(loads.map((load) => load.requests / load.seconds)) ?? 0,
      p50Ms: median(loads.map((load) => load.latencyMs.p50)) ?? 0,
      p99Ms: median(loads.map((load) => load.latencyMs.p99)) ?? 0,
      cpuMicroseconds: median(loads.map(cpuPerRequest)),
      mainThreadMicroseconds: median(loads.map((load) => used(load, 'mainThreadMicroseconds', load.requests))),
      cpuRatio: median(loads.map((load, round) => ratio(cpuPerRequest(load), references[round] ?? null))),
      coreShare: median(loads.map((load) => used(load, 'cpuMicroseconds', load.seconds * 1e6))),
      rssIdleBytes: slices.find((slice) => slice.name === name)?.idle?.rssBytes ?? null,
      rssAfterBytes: loads.at(-1)?.usage?.after.rssBytes ?? null,
    }
  })
}

function cpuPerRequest(load: LoadResult): number | null {
  return used(load, 'cpuMicroseconds', load.requests)
}

function used({ usage }: LoadResult, what: keyof ProcessUsage, per: number): number | null {
  return usage === null || per === 0 ? null : (usage.after[what] - usage.before[what]) / per
}

function ratio(value: number | null, reference: number | null): number | null {
  return value === null || reference === null || reference === 0 ? null : value / reference
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

/** Of the figures that are there; null when none is. */
function median(values: readonly (number | null)[]): number | null {
  const sorted = values.filter((value) => value !== null).sort((a, b) => a - b)
  const upper = sorted[Math.floor(sorted.length / 2)]
  const lower = sorted[Math.floor((sorted.length - 1) / 2)]
  return upper === undefined || lower === undefined ? null : (upper + lower) / 2
}
