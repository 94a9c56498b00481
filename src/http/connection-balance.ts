export interface ConnectionBalance {
  /** This thread has so many connections now. */
  count(open: number): void
  own(): number
  /** Whether to close the connection after the next answer. */
  mayCloseOne(): boolean
  stop(): void
}

const LOOK_MS = 100
/** A thread may have this much more than its share; fewer than this above it are left alone. */
const MOST_SHARE = 1.3
const LEAST_EXCESS = 2

/**
 * The system distributes connections over threads at random, and they stay for hours: a thread with many more than the
 * others closes some, and their clients reconnect.
 */
export function connectionBalance(memory: SharedArrayBuffer, thread: number): ConnectionBalance {
  const counts = new Int32Array(memory)
  const own = () => Atomics.load(counts, thread - 1)
  let closing = 0
  const look = setInterval(() => {
    closing = excessOf(
      own(),
      Array.from(counts.keys(), (place) => Atomics.load(counts, place)),
    )
  }, LOOK_MS).unref()
  return {
    count: (open) => void Atomics.store(counts, thread - 1, open),
    own,
    mayCloseOne() {
      if (closing === 0) return false
      closing -= 1
      return true
    },
    stop: () => clearInterval(look),
  }
}

/** How many connections too many a thread has. */
export function excessOf(own: number, all: readonly number[]): number {
  const mean = all.reduce((sum, count) => sum + count, 0) / all.length
  const excess = Math.floor(own - mean)
  return own > MOST_SHARE * mean && excess >= LEAST_EXCESS ? excess : 0
}
