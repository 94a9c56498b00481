/**
 * Tokens by price class, the same for both families. The classes do not overlap: `input` excludes cached and written
 * tokens, so that adding them up never counts one twice.
 */
export interface TokenUsage {
  input: number
  cachedInput: number
  cacheWrite5m: number
  cacheWrite30m: number
  cacheWrite1h: number
  output: number
  /** Part of `output`; for display only. */
  reasoning: number
  /** What the provider multiplies the list price with, e.g. 110 for a surcharge of a tenth. */
  pricePercent: number
}

export const NO_USAGE: TokenUsage = {
  input: 0,
  cachedInput: 0,
  cacheWrite5m: 0,
  cacheWrite30m: 0,
  cacheWrite1h: 0,
  output: 0,
  reasoning: 0,
  pricePercent: 100,
}

export function cacheWriteTokens(usage: TokenUsage): number {
  return usage.cacheWrite5m + usage.cacheWrite30m + usage.cacheWrite1h
}

export function promptTokens(usage: TokenUsage): number {
  return usage.input + usage.cachedInput + cacheWriteTokens(usage)
}

/** A provider's count: anything but a non-negative whole number counts as none. */
export function tokenCount(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0
}
