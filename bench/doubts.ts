import { OURS } from './contestants.ts'
import { label } from './label.ts'
import type { BenchResult } from './result.ts'

const LATE_MS = 1
const CORE_SHARE = 0.85

/** Why the figures of this run may be worth little, in words; empty on a machine that did nothing else. */
export function doubts({ saturation, latency }: Pick<BenchResult, 'saturation' | 'latency'>): string[] {
  const late = Math.max(0, ...latency.map(({ lateP99Ms }) => lateP99Ms))
  const starved = saturation.filter(
    ({ name, coreShare }) => name === OURS && coreShare !== null && coreShare < CORE_SHARE,
  )
  const failed = saturation.filter(({ errors }) => errors > 0)
  return [
    ...(late > LATE_MS
      ? [`the load was up to ${late.toFixed(1)} ms late (p99): this machine was busy, added latency is worth little`]
      : []),
    ...starved.map(
      (row) => `${label(row)} had only ${((row.coreShare ?? 0) * 100).toFixed(0)} % of its core: this machine was busy`,
    ),
    ...failed.map((row) => `${label(row)}: ${row.errors} calls failed, its figures mean little`),
  ]
}
