import type { LatencyRow } from './parts/latency.ts'
import type { MemoryRow } from './parts/memory.ts'
import type { SaturationRow } from './parts/saturation.ts'
import type { StartTime } from './parts/start-time.ts'
import type { StreamMemory } from './parts/stream-memory.ts'
import type { StreamRow } from './parts/streams.ts'
import type { TogetherRow } from './parts/together.ts'

/** bench/results/latest.json. Parts that were not measured are null or empty. */
export interface BenchResult {
  startedAt: string
  node: string
  processor: string
  /** Null when the measured process and the load had their own cores. */
  notPinned: string | null
  /** Too short for figures that anyone should cite. */
  quick: boolean
  problems: string[]
  start: StartTime | null
  together: TogetherRow[]
  saturation: SaturationRow[]
  latency: LatencyRow[]
  memory: MemoryRow[]
  streams: StreamRow[]
  firstContent: LatencyRow[]
  streamMemory: StreamMemory | null
}
