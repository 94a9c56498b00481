import { Arrivals } from '../http/arrivals.ts'
import { BodyMemory, type MemoryBounds, memoryBounds } from '../http/body-memory.ts'
import type { Bodies } from '../http/call.ts'
import { createMetrics, type Metrics, type Observed } from '../telemetry/metrics.ts'

interface BodyBounds extends MemoryBounds {
  maxBodyBytes: number
  /** At least so fast a body must arrive; 0: at any speed. */
  bytesPerSecond: number
}

/** How often an unfinished body is looked at: one that stops is ended within twice this time. */
const LOOK_SECONDS = 10

/** What request bodies may take of this process, whichever port they come to, and the metrics that show it. */
export function measured(bounds: BodyBounds, observed: Omit<Observed, 'bodies'>): { metrics: Metrics; bodies: Bodies } {
  const { maxBodyBytes, bytesPerSecond, ...memoryOf } = bounds
  const metrics = createMetrics({ ...observed, bodies: () => memory })
  const onRefusal = (scope: string) => metrics.bufferRefusals.add(1, [scope])
  const memory = new BodyMemory(memoryBounds(memoryOf, maxBodyBytes), onRefusal)
  const arrivals = new Arrivals({ everyMs: LOOK_SECONDS * 1000, bytes: LOOK_SECONDS * bytesPerSecond })
  return { metrics, bodies: { memory, arrivals } }
}
