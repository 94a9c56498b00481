import { Arrivals } from '../http/arrivals.ts'
import { BodyMemory, type MemoryBounds, memoryBounds } from '../http/body-memory.ts'
import type { Bodies } from '../http/call.ts'
import type { Metrics } from '../telemetry/metrics.ts'

export interface BodyBounds extends MemoryBounds {
  maxBodyBytes: number
  /** At least so fast a body must arrive; 0: at any speed. */
  bytesPerSecond: number
}

/** How often an unfinished body is looked at: one that stops is ended within twice this time. */
const LOOK_SECONDS = 10

/** What request bodies may take of this process, whichever port they come to. */
export function boundedBodies({ maxBodyBytes, bytesPerSecond, ...bounds }: BodyBounds, metrics: Metrics): Bodies {
  const onRefusal = (scope: string) => metrics.bufferRefusals.add(1, [scope])
  return {
    memory: new BodyMemory(memoryBounds(bounds, maxBodyBytes), onRefusal),
    arrivals: new Arrivals({ everyMs: LOOK_SECONDS * 1000, bytes: LOOK_SECONDS * bytesPerSecond }),
  }
}
