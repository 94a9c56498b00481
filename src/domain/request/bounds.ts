/**
 * The most that an answer can use, as stated by the translator: only it knows its wire format, so the hold never reads
 * a wire body.
 */
export interface Bounds {
  /** Per answer, if the request limits it; null: the model's own limit applies. */
  outputTokens: number | null
  /** How many answers are requested; each may reach the limit. */
  answers: number
  /** The highest price of the request itself, in percent of the list price. */
  namedPercent: number
  /** The same when account defaults decide what the request leaves open. */
  accountPercent: number
  /** Tools that the provider runs, where a hard budget applies; missing: none. */
  tools?: ToolBounds
  /** What is billed by units, by the names in the prices of the model (pricing/unit-prices.ts); missing: nothing. */
  units?: readonly UnitBound[]
  /** The prompt is text alone. */
  isTextPrompt?: true
  /** What the request could name in order to be bounded by less, dearest first; missing: an output limit. */
  choices?: readonly Choice[]
}

export interface Choice {
  /** `size 1024x1024 and quality low` */
  words: string
  outputTokens: number
}

export interface UnitBound {
  name: string
  /** Of time, milliseconds. */
  most: number
  /** Some models bill tokens in its place: a price per token is enough. */
  orTokens?: true
}

/** What bounds the tools that a provider runs while it answers. After each call the model reads the prompt again. */
export interface ToolBounds {
  /** Of all tools together. */
  calls: number
  /** The tools with a fee, each call is one of them; `units`: the most that one call is charged for. */
  fees: readonly { name: string; units: number }[]
  /** The most tokens that a call adds to the prompt; null: only the context window bounds them. */
  addedTokens: number | null
  /** The output limit applies to each pass, not to all of them together. */
  isPerPass: boolean
}

/** Calls of tools that the gateway allows where the caller names no number: each is a pass over the whole prompt. */
export const DEFAULT_TOOL_CALLS = 2

/** Tokens of a prompt before the provider has counted them. */
export interface PromptTokens {
  /** An upper bound for every tokenizer; null when only the context window bounds them. */
  most: number | null
  /** The same if parts of unknown kinds are only text: what limits other than a hard budget count. */
  visible: number | null
  /** Used when the provider reports no count; null when unknown. */
  likely: number | null
  /** Its bytes do not show its length: images, files, and content stored elsewhere. */
  isOpaque: boolean
}

export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0
}

/** The largest of the limits that are sent; values that are not counts are ignored. */
export function largestLimit(limits: readonly unknown[]): number | null {
  const counts = limits.filter(isCount)
  return counts.length === 0 ? null : Math.max(...counts)
}
