import {
  ANSWER_CLASSES,
  CACHE_WRITE_CLASSES,
  OUTPUT_PARTS,
  PROMPT_CLASSES,
  perClass,
  type TokenClass,
} from './classes.ts'

/**
 * Tokens by price class, the same for every family. `input` excludes cached and written tokens; `output` is the whole
 * answer, and its parts are never more than it: see `withOutput`.
 */
export interface TokenUsage extends Record<TokenClass, number> {
  /** Part of `output`; for display only. */
  reasoning: number
  /** The provider's factor on the list price, e.g. 110 for a surcharge of 10 %. */
  pricePercent: number
  /** Tools that the provider ran, and what has no tokens: images, milliseconds of audio; null or missing: none. */
  uses?: Uses | null
  /** What the provider itself says it cost; null or missing: nothing. Kept beside our figure, never in its place. */
  stated?: Stated | null
}

export interface Stated {
  /** Decimal digits. */
  picodollars: string
  /** The field that says so. */
  by: string
}

/** Uses by the name of the tool, or of what the model did (unit-prices.ts), each above 0. */
export type Uses = Readonly<Record<string, number>>

export const NO_USAGE: TokenUsage = {
  ...perClass('name', () => 0),
  reasoning: 0,
  pricePercent: 100,
  uses: null,
  stated: null,
}

export function cacheWriteTokens(usage: TokenUsage): number {
  return sumOf(usage, CACHE_WRITE_CLASSES)
}

export function promptTokens(usage: TokenUsage): number {
  return sumOf(usage, PROMPT_CLASSES)
}

export function hasTokens(usage: TokenUsage): boolean {
  return promptTokens(usage) + usage.output > 0
}

/** The tokens that cost the price of a class: of `output`, those that are in no class within it. */
export function chargedTokens(usage: Record<TokenClass, number>, name: TokenClass): number {
  return name === 'output' ? usage.output - sumOf(usage, OUTPUT_PARTS) : usage[name]
}

/** The same usage with an answer of so many tokens; its parts are capped to them. */
export function withOutput(usage: TokenUsage, output: number): TokenUsage {
  const result = { ...usage, output }
  let rest = output
  for (const { name } of OUTPUT_PARTS) {
    result[name] = Math.min(usage[name], rest)
    rest -= result[name]
  }
  return result
}

/** The same usage with all of the answer in one class, for each of them: what any mixture costs lies between these. */
export function unmixedAnswers(usage: TokenUsage): TokenUsage[] {
  const { output } = usage
  return ANSWER_CLASSES.map(({ name }) => ({ ...withOutput(usage, 0), output, [name]: output }))
}

function sumOf(usage: Record<TokenClass, number>, classes: readonly { name: TokenClass }[]): number {
  let sum = 0
  for (const { name } of classes) sum += usage[name]
  return sum
}

/** A provider's count: anything but a non-negative whole number counts as none. */
export function tokenCount(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0
}
