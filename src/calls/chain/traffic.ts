import type { ChainEntry } from '../../domain/route.ts'

/** What this node has under way and how fast it is answered, per provider and model: what balancing goes by. */
export interface Traffic {
  running(entry: ChainEntry): number
  /** A call is at this entry until it leaves. */
  enter(entry: ChainEntry): () => void
  /** An answer, or the first content of a stream, took so long; or it was given up after that. */
  took(entry: ChainEntry, isStream: boolean, milliseconds: number): void
  /** Null when nothing was measured of late. */
  latencyMs(entry: ChainEntry, isStream: boolean): number | null
}

/** How much a new measurement counts against all before it. */
const SHARE = 0.2
/** An older measurement says nothing of now. */
const STALE_MS = 60_000
/** Bounds the memory: callers may send anything as a direct model id. */
const MOST_MEASURED = 1_000

export function createTraffic(now: () => number): Traffic {
  const running = new Map<string, number>()
  const measured = new Map<string, { ms: number; at: number }>()
  const latencyName = (entry: ChainEntry, isStream: boolean) => `${isStream ? 'stream' : 'whole'} ${nameOf(entry)}`
  const fresh = (name: string) => {
    const latency = measured.get(name)
    return latency === undefined || now() - latency.at > STALE_MS ? null : latency.ms
  }

  return {
    running: (entry) => running.get(nameOf(entry)) ?? 0,
    enter(entry) {
      const name = nameOf(entry)
      running.set(name, (running.get(name) ?? 0) + 1)
      let isIn = true
      return () => {
        if (!isIn) return
        isIn = false
        const left = (running.get(name) ?? 1) - 1
        if (left === 0) running.delete(name)
        else running.set(name, left)
      }
    },
    took(entry, isStream, milliseconds) {
      const name = latencyName(entry, isStream)
      const before = fresh(name)
      if (!measured.has(name) && measured.size >= MOST_MEASURED) measured.clear()
      measured.set(name, { ms: before === null ? milliseconds : before + SHARE * (milliseconds - before), at: now() })
    },
    latencyMs: (entry, isStream) => fresh(latencyName(entry, isStream)),
  }
}

function nameOf({ provider, model }: ChainEntry): string {
  return `${provider}/${model}`
}
