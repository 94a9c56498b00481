import { parentPort, workerData } from 'node:worker_threads'
import { preciseNow, RING_MASK } from './precise-timer.ts'

const { moments, state } = workerData as { moments: Float64Array; state: Int32Array }
const SLEEP_CELL = 1

/** Counts wrap at 2³¹ after weeks of load; no run lasts that long. */
let done = 0
for (;;) {
  const count = Atomics.load(state, 0)
  if (done === count) {
    Atomics.wait(state, 0, count)
    continue
  }
  const wait = (moments[done & RING_MASK] ?? 0) - preciseNow()
  if (wait > 0) Atomics.wait(state, SLEEP_CELL, 0, wait)
  const now = preciseNow()
  while (done < count && (moments[done & RING_MASK] ?? 0) <= now) done += 1
  parentPort?.postMessage(null)
}
