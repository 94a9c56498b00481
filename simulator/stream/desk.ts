/** What one stream has done so far. */
export interface StreamState {
  /** `blocked`: the client does not read; `stalled`: waits for `resume()`. */
  is: 'writing' | 'blocked' | 'stalled' | 'over'
  /** Events handed to the socket; comments and raw bytes are none. */
  events: number
  bytes: number
}

export interface StreamCounts {
  /** Running now, blocked and stalled ones included. */
  open: number
  blocked: number
  stalled: number
  /** The body ended properly. */
  finished: number
  /** The simulator broke the connection on purpose. */
  broken: number
  /** The client left first. */
  aborted: number
}

/** Counts all streams, also those that the log of calls no longer keeps, and lets stalled ones go on. */
export interface StreamDesk {
  counts: StreamCounts
  /** Resolves with `resume()` or the end of the client. */
  stall(state: StreamState, gone: AbortSignal): Promise<void>
  /** Lets every stream go on that is stalled now. */
  resume(): void
  /** Resolves as soon as so many streams are stalled. */
  stalled(count: number): Promise<void>
  clear(): void
}

const NONE: StreamCounts = { open: 0, blocked: 0, stalled: 0, finished: 0, broken: 0, aborted: 0 }

export function createStreamDesk(): StreamDesk {
  const counts = { ...NONE }
  const stalls = new Set<() => void>()
  const waiting = new Set<{ count: number; resolve: () => void }>()
  function tell(): void {
    for (const waiter of waiting) {
      if (stalls.size < waiter.count) continue
      waiting.delete(waiter)
      waiter.resolve()
    }
  }
  return {
    counts,
    async stall(state, gone) {
      if (gone.aborted) return
      const { promise, resolve } = Promise.withResolvers<void>()
      stalls.add(resolve)
      gone.addEventListener('abort', resolve as () => void, { once: true })
      counts.stalled = stalls.size
      state.is = 'stalled'
      tell()
      await promise
      gone.removeEventListener('abort', resolve as () => void)
      stalls.delete(resolve)
      counts.stalled = stalls.size
      state.is = 'writing'
    },
    resume() {
      for (const resolve of stalls) resolve()
      stalls.clear()
      counts.stalled = 0
    },
    stalled(count) {
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.add({ count, resolve })
      tell()
      return promise
    },
    clear() {
      // Streams that still run stay counted.
      Object.assign(counts, { finished: 0, broken: 0, aborted: 0 })
    },
  }
}
