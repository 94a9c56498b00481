/** The longest that a call waits for it: with 0.5 the 99th percentile of what a call adds at 500/s was 0.9 ms higher. */
const PORTION_MS = 0.1
const REST_MS = 0.5
/** So long after the last step this is not the same work. */
const NEW_WORK_MS = 10
const nothingHappensHere = new Int32Array(new SharedArrayBuffer(4))

function sleep(milliseconds: number): void {
  Atomics.wait(nothingHappensHere, 0, 0, milliseconds)
}

/**
 * For a worker thread with much to do: called between small steps, it sleeps for a moment after each tenth of a
 * millisecond of work. Where threads share a core, Linux lets one run for some milliseconds before the next, whatever
 * its priority, and a fold of 30 ms would be in the way of every call that comes meanwhile. Decision 0015.
 */
export function createThrottle(now = () => performance.now(), rest = sleep): () => void {
  let since = now()
  return () => {
    const worked = now() - since
    if (worked < PORTION_MS) return
    if (worked < NEW_WORK_MS) rest(REST_MS)
    since = now()
  }
}
