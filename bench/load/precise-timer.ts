import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'

/** Unix milliseconds with fractions, the same in every thread. */
export function preciseNow(): number {
  return performance.timeOrigin + performance.now()
}

/** Calls back at given times, accurate to some hundredths of a millisecond. */
export interface PreciseTimer {
  /** Times must be ascending. One callback may cover several due times. */
  wakeAt(time: number): void
}

/** The maximum number of pending times, a power of two. */
const RING = 65_536
/** Cells of `state`: the number of times set so far, and one that never changes, to sleep on. */
const COUNT = 0
const SLEEP = 1

/**
 * Node's timers have a resolution of one millisecond, which is more than what a gateway adds. A worker thread sleeps
 * instead (a futex with a high-resolution timeout) and wakes this one; nothing spins, because the core is shared.
 */
export function createPreciseTimer(onDue: () => void): PreciseTimer {
  const times = new Float64Array(new SharedArrayBuffer(RING * 8))
  const state = new Int32Array(new SharedArrayBuffer(8))
  // It sleeps for ever: the process that uses it ends with `process.exit`.
  const worker = new Worker(new URL(import.meta.url), { workerData: { times, state } })
  worker.on('message', onDue)
  let count = 0
  return {
    wakeAt(time) {
      times[count & (RING - 1)] = time
      count += 1
      Atomics.store(state, COUNT, count)
      Atomics.notify(state, COUNT)
    },
  }
}

function wakeMainThread({ times, state }: { times: Float64Array; state: Int32Array }): never {
  const timeAt = (index: number) => times[index & (RING - 1)] ?? 0
  for (let done = 0; ; ) {
    const count = Atomics.load(state, COUNT)
    if (done === count) {
      Atomics.wait(state, COUNT, count)
      continue
    }
    const wait = timeAt(done) - preciseNow()
    if (wait > 0) Atomics.wait(state, SLEEP, 0, wait)
    const now = preciseNow()
    while (done < count && timeAt(done) <= now) done += 1
    parentPort?.postMessage(null)
  }
}

if (!isMainThread) wakeMainThread(workerData)
