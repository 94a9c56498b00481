import { CACHE_WRITE_CLASSES, PROMPT_CLASSES, perClass, type TokenClass } from './classes.ts'

/** Tokens by price class, the same for every family. `input` excludes cached and written tokens. */
export interface TokenUsage extends Record<TokenClass, number> {
  /** Part of `output`; for display only. */
  reasoning: number
  /** The provider's factor on the list price, e.g. 110 for a surcharge of 10 %. */
  pricePercent: number
}

export const NO_USAGE: TokenUsage = { ...perClass('name', () => 0), reasoning: 0, pricePercent: 100 }

export function cacheWriteTokens(usage: TokenUsage): number {
  return sumOf(usage, CACHE_WRITE_CLASSES)
}

export function promptTokens(usage: TokenUsage): number {
  return sumOf(usage, PROMPT_CLASSES)
}

function sumOf(usage: TokenUsage, classes: readonly { name: TokenClass }[]): number {
  let sum = 0
  for (const { name } of classes) sum += usage[name]
  return sum
}

/** A provider's count: anything but a non-negative whole number counts as none. */
export function tokenCount(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0
}
