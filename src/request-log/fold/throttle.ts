/** The longest that a call waits for it. */
const PORTION_MS = 0.1
const REST_MS = 0.5
/** So long after the last step this is not the same work. */
const NEW_WORK_MS = 10
const neverNotified = new Int32Array(new SharedArrayBuffer(4))

function sleep(milliseconds: number): void {
  Atomics.wait(neverNotified, 0, 0, milliseconds)
}

/**
 * For a busy worker thread: called between small steps, it sleeps for a moment after each portion of work. Where
 * threads share a core, Linux lets one run for milliseconds before the next, at any priority, so an unthrottled fold
 * would delay every call that arrives. Decision 0016.
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
