import { median } from '../load/percentiles.ts'
import type { Sample } from './sample.ts'

export interface Growth {
  /** Of the medians of the second and the last quarter: the first one warms up. */
  of: 'rssMiB' | 'heapMiB' | 'handles' | 'spoolMiB' | 'p99Ms'
  early: number
  late: number
}

const WATCHED: readonly Growth['of'][] = ['rssMiB', 'heapMiB', 'handles', 'spoolMiB', 'p99Ms']

/** The database grows with its rows and is not among them. */
export function growthOf(samples: readonly Sample[]): Growth[] {
  const quarter = Math.floor(samples.length / 4)
  const early = samples.slice(quarter, 2 * quarter)
  const late = samples.slice(-quarter)
  if (quarter === 0) return []
  return WATCHED.map((of) => ({
    of,
    early: middle(early.map((sample) => sample[of])),
    late: middle(late.map((sample) => sample[of])),
  }))
}

function middle(values: readonly (number | null)[]): number {
  return Math.round((median(values) ?? 0) * 10) / 10
}
