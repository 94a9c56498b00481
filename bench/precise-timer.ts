import { Worker } from 'node:worker_threads'

/** Unix milliseconds with fractions, the same in every thread. */
export function preciseNow(): number {
  return performance.timeOrigin + performance.now()
}

/** Calls back at set moments, to within some hundredths of a millisecond. */
export interface PreciseTimer {
  /** Moments are given in rising order. One call back may stand for several that are due. */
  wakeAt(moment: number): void
}

/** How many moments may be waited for at a time. */
const RING = 65_536
export const RING_MASK = RING - 1

/**
 * Node's timers know whole milliseconds only, which is more than what a gateway adds. A thread sleeps to the moment
 * itself instead (a futex with a high-resolution timeout) and wakes this one; nobody spins, for the core is shared.
 */
export function createPreciseTimer(onDue: () => void): PreciseTimer {
  const moments = new Float64Array(new SharedArrayBuffer(RING * 8))
  /** The number of moments set so far, and a cell nobody changes, to sleep on. */
  const state = new Int32Array(new SharedArrayBuffer(8))
  const worker = new Worker(new URL('./precise-timer-worker.ts', import.meta.url), { workerData: { moments, state } })
  worker.on('message', onDue)
  // It sleeps for ever: whoever uses it ends the process himself.
  let count = 0
  return {
    wakeAt(moment) {
      moments[count & RING_MASK] = moment
      count += 1
      Atomics.store(state, 0, count)
      Atomics.notify(state, 0)
    },
  }
}
