import type { ChainEntry } from '../../domain/route.ts'

/** What this node has in progress and how fast it is answered, per provider and model: what balancing goes by. */
export interface Traffic {
  running(entry: ChainEntry): number
  /** A call is at this entry until it leaves. */
  enter(entry: ChainEntry): () => void
  /** An answer, or the first content of a stream, took so long; or it was given up after that. */
  took(entry: ChainEntry, isStream: boolean, milliseconds: number): void
  /** An answer of so many tokens took so long. */
  wrote(entry: ChainEntry, tokens: number, milliseconds: number): void
  /** How fast its answers usually are; null without a measurement. */
  tokensPerMs(entry: ChainEntry): number | null
  /** Null without a recent measurement. */
  latencyMs(entry: ChainEntry, isStream: boolean): number | null
}

/** How much a new measurement counts against all before it. */
const SHARE = 0.2
/** An older measurement says nothing of now. */
const STALE_MS = 60_000
/** Bounds the memory: callers may send anything as a direct model id. */
const MOST_MEASURED = 1_000

/** Of one model at a provider. */
interface Place {
  running: number
  whole: Latency | null
  stream: Latency | null
  tokensPerMs: number | null
}

interface Latency {
  ms: number
  at: number
}

export function createTraffic(now: () => number): Traffic {
  const providers = new Map<string, Map<string, Place>>()
  let measured = 0

  function placeOf({ provider, model }: ChainEntry): Place {
    const places = providers.get(provider) ?? new Map<string, Place>()
    if (places.size === 0) providers.set(provider, places)
    let place = places.get(model)
    if (place === undefined) {
      if (measured >= MOST_MEASURED) forgetIdle()
      place = { running: 0, whole: null, stream: null, tokensPerMs: null }
      places.set(model, place)
      measured += 1
    }
    return place
  }

  function forgetIdle(): void {
    for (const places of providers.values()) {
      for (const [model, { running }] of places) if (running === 0 && places.delete(model)) measured -= 1
    }
  }

  const fresh = (latency: Latency | null | undefined) =>
    latency == null || now() - latency.at > STALE_MS ? null : latency.ms
  const known = ({ provider, model }: ChainEntry) => providers.get(provider)?.get(model)

  return {
    running: (entry) => known(entry)?.running ?? 0,
    enter(entry) {
      const place = placeOf(entry)
      place.running += 1
      let isIn = true
      return () => {
        if (isIn) place.running -= 1
        isIn = false
      }
    },
    took(entry, isStream, milliseconds) {
      const place = placeOf(entry)
      const before = fresh(isStream ? place.stream : place.whole)
      const latency = { ms: before === null ? milliseconds : before + SHARE * (milliseconds - before), at: now() }
      if (isStream) place.stream = latency
      else place.whole = latency
    },
    wrote(entry, tokens, milliseconds) {
      if (tokens === 0 || milliseconds <= 0) return
      const place = placeOf(entry)
      const rate = tokens / milliseconds
      place.tokensPerMs = place.tokensPerMs === null ? rate : place.tokensPerMs + SHARE * (rate - place.tokensPerMs)
    },
    tokensPerMs: (entry) => known(entry)?.tokensPerMs ?? null,
    latencyMs: (entry, isStream) => fresh(isStream ? known(entry)?.stream : known(entry)?.whole),
  }
}
