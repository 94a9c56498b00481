/**
 * What an answer can come to at most, as the translator says: it alone knows the words of its wire, so the hold never
 * looks into one.
 */
export interface Bounds {
  /** Of one answer, where the request limits it; null: the model's own limit counts. */
  outputTokens: number | null
  /** How many answers are asked for: each may be as long as the limit. */
  answers: number
  /** The most that the request can be billed at, in percent of the list price, by what it names itself. */
  namedPercent: number
  /** The same where defaults of the account choose what the request leaves open. */
  accountPercent: number
}

/** The tokens of a prompt, before anybody has counted them. */
export interface PromptTokens {
  /** No tokenizer makes more; null where only the model's window bounds them. */
  most: number | null
  /** What counts where the provider does not count; null where nobody can say. */
  likely: number | null
}

/** As a rule of thumb; no tokenizer makes more tokens than a text has bytes. */
const BYTES_PER_TOKEN = 4

export function likelyTokens(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN)
}

export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0
}

/** The largest of the limits that are sent; what is no count limits nothing. */
export function largestLimit(limits: readonly unknown[]): number | null {
  const counts = limits.filter(isCount)
  return counts.length === 0 ? null : Math.max(...counts)
}
