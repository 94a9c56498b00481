import { GATEWAY_BUCKETS, LATENCY_BUCKETS } from './latency.ts'

/** By the names in the uses of calls. */
export type UnitCounts = Readonly<Record<string, bigint>>

export interface UsageSums {
  /** What was used beside tokens, by its name (unit-sums.ts). */
  uses: UnitCounts
  requests: number
  errors: number
  fallbacks: number
  unpriced: number
  /** Answered from a route's cache, and what those answers had cost. */
  cacheHits: number
  savedPicodollars: bigint
  /** Of attempts whose usage is unknown: beyond the cost. */
  unconfirmedEstimate: bigint
  unconfirmedMost: bigint
  /** What of it counts in budgets. */
  unconfirmedCounted: bigint
  /** What workspaces charge their own customers. */
  resalePicodollars: bigint
  /** By prompt caches of providers; negative: they cost more. */
  promptCacheSaved: bigint
  promptTokens: bigint
  completionTokens: bigint
  cachedTokens: bigint
  cacheWriteTokens: bigint
  reasoningTokens: bigint
  costPicodollars: bigint
  upstreamMs: bigint
  gatewayMicroseconds: bigint
  /** Answered calls by latency bucket (latency.ts). */
  latencies: number[]
  /** Calls by time in the gateway. */
  gatewayTimes: number[]
}

/** The sum of no requests. */
export const NO_SUMS: UsageSums = {
  uses: {},
  requests: 0,
  errors: 0,
  fallbacks: 0,
  unpriced: 0,
  cacheHits: 0,
  savedPicodollars: 0n,
  unconfirmedEstimate: 0n,
  unconfirmedMost: 0n,
  unconfirmedCounted: 0n,
  resalePicodollars: 0n,
  promptCacheSaved: 0n,
  promptTokens: 0n,
  completionTokens: 0n,
  cachedTokens: 0n,
  cacheWriteTokens: 0n,
  reasoningTokens: 0n,
  costPicodollars: 0n,
  upstreamMs: 0n,
  gatewayMicroseconds: 0n,
  latencies: Array.from({ length: LATENCY_BUCKETS }, () => 0),
  gatewayTimes: Array.from({ length: GATEWAY_BUCKETS }, () => 0),
}

export function addUsage(a: UsageSums, b: UsageSums): UsageSums {
  return {
    uses: addUnits(a.uses, b.uses),
    requests: a.requests + b.requests,
    errors: a.errors + b.errors,
    fallbacks: a.fallbacks + b.fallbacks,
    unpriced: a.unpriced + b.unpriced,
    cacheHits: a.cacheHits + b.cacheHits,
    savedPicodollars: a.savedPicodollars + b.savedPicodollars,
    unconfirmedEstimate: a.unconfirmedEstimate + b.unconfirmedEstimate,
    unconfirmedMost: a.unconfirmedMost + b.unconfirmedMost,
    unconfirmedCounted: a.unconfirmedCounted + b.unconfirmedCounted,
    resalePicodollars: a.resalePicodollars + b.resalePicodollars,
    promptCacheSaved: a.promptCacheSaved + b.promptCacheSaved,
    promptTokens: a.promptTokens + b.promptTokens,
    completionTokens: a.completionTokens + b.completionTokens,
    cachedTokens: a.cachedTokens + b.cachedTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    reasoningTokens: a.reasoningTokens + b.reasoningTokens,
    costPicodollars: a.costPicodollars + b.costPicodollars,
    upstreamMs: a.upstreamMs + b.upstreamMs,
    gatewayMicroseconds: a.gatewayMicroseconds + b.gatewayMicroseconds,
    latencies: addBuckets(a.latencies, b.latencies),
    gatewayTimes: addBuckets(a.gatewayTimes, b.gatewayTimes),
  }
}

function addUnits(a: UnitCounts, b: UnitCounts): UnitCounts {
  const sums: Record<string, bigint> = { ...a }
  for (const name in b) sums[name] = (sums[name] ?? 0n) + (b[name] ?? 0n)
  return sums
}

function addBuckets(a: readonly number[], b: readonly number[]): number[] {
  return a.map((count, bucket) => count + (b[bucket] ?? 0))
}
