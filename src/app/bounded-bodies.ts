import { Arrivals } from '../http/arrivals.ts'
import { BodyMemory, type MemoryBounds, memoryBounds } from '../http/body-memory.ts'
import type { Bodies } from '../http/call.ts'
import { createMetrics, type Metrics, type Observed } from '../telemetry/metrics.ts'

interface BodyBounds extends MemoryBounds {
  maxBodyBytes: number
  /** Minimum speed at which a body must arrive; 0: any speed. */
  bytesPerSecond: number
}

/** How often unfinished bodies are checked: one that stalls is ended within twice this time. */
const LOOK_SECONDS = 10

/** The limits on request bodies of this process, over all ports, and their metrics. */
export function measured(
  bounds: BodyBounds,
  observed: Omit<Observed, 'bodies'>,
  options: { isMain: boolean } = { isMain: true },
): { metrics: Metrics; bodies: Bodies } {
  const { maxBodyBytes, bytesPerSecond, ...memoryOf } = bounds
  const metrics = createMetrics({ ...observed, bodies: () => memory }, options)
  const onRefusal = (scope: string) => metrics.bufferRefusals.add(1, [scope])
  const memory = new BodyMemory(memoryBounds(memoryOf, maxBodyBytes), onRefusal)
  const arrivals = new Arrivals({ everyMs: LOOK_SECONDS * 1000, bytes: LOOK_SECONDS * bytesPerSecond })
  return { metrics, bodies: { memory, arrivals } }
}
