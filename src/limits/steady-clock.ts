/**
 * Unix milliseconds that never go back: when the machine's clock is set back, time continues from where it was. When it
 * is set forward, time follows.
 */
export function steadyClock(wall: () => number, monotonic: () => number): () => number {
  let last = wall()
  let lastTick = monotonic()
  return () => {
    const tick = monotonic()
    const passed = Math.floor(tick - lastTick)
    const next = Math.max(wall(), last + passed)
    // The fraction of a millisecond is kept, or many short steps would add up to no time at all.
    lastTick = next === last + passed ? lastTick + passed : tick
    last = next
    return next
  }
}
