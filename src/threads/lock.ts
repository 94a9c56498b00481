/** A lock is a number in shared memory. */
export type Locks = Int32Array<SharedArrayBuffer>

const FREE = 0
const TAKEN = 1
/** Taken, and others may be asleep. */
const AWAITED = 2
/** The protected code takes a microsecond: a lock is usually free again before sleeping would pay off. */
const SPINS = 100

/** Blocks the thread, so nothing may be awaited between this and `unlock`. */
export function lock(locks: Locks, place: number): void {
  for (let spin = 0; spin < SPINS; spin++) {
    if (Atomics.compareExchange(locks, place, FREE, TAKEN) === FREE) return
  }
  while (Atomics.exchange(locks, place, AWAITED) !== FREE) Atomics.wait(locks, place, AWAITED)
}

export function unlock(locks: Locks, place: number): void {
  if (Atomics.exchange(locks, place, FREE) === AWAITED) Atomics.notify(locks, place, 1)
}
