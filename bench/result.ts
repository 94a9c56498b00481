import type { AdmissionCost } from './admission.ts'
import type { BodyRow } from './body-cost.ts'
import type { LoopRow } from './event-loop.ts'
import type { LatencyRow } from './latency.ts'
import type { LatencyTogetherRow } from './latency-together.ts'
import type { MemoryRow } from './memory.ts'
import type { OverloadResult } from './overload.ts'
import type { SaturationRow } from './saturation.ts'
import type { StartTime } from './start-time.ts'
import type { TogetherRow } from './together.ts'

/** All that a run found out; bench/results/latest.json is this. What was left out is null, or empty. */
export interface BenchResult {
  startedAt: string
  node: string
  processor: string
  cores: number
  /** Null when measured process and load were on cores of their own. */
  notPinned: string | null
  /** A quick run's figures are a glance, not a result. */
  quick: boolean
  /** The built package, not the sources. */
  dist: boolean
  rounds: number
  sliceSeconds: number
  problems: string[]
  start: StartTime | null
  together: TogetherRow[]
  saturation: SaturationRow[]
  latency: LatencyRow[]
  latencyTogether: LatencyTogetherRow[]
  memory: MemoryRow[]
  bodies: BodyRow[]
  eventLoop: LoopRow[]
  overload: OverloadResult | null
  admission: AdmissionCost | null
}
