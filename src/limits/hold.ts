import { TOKEN_CLASSES } from '../domain/pricing/classes.ts'
import { asPicodollars, type ClassPrices, type Picodollars, type Price } from '../domain/pricing/price.ts'
import type { Bounds } from '../domain/request/bounds.ts'

/** The most that one call can use at one entry. */
export interface WorstCase {
  /** Null when only the context window bounds the prompt. */
  promptTokens: number | null
  bounds: Pick<Bounds, 'outputTokens' | 'answers'>
  price: Price | undefined
  contextWindow: number | null
  maxOutputTokens: number | null
  /** The highest factor on the list price, in percent. */
  pricePercent?: number
}

/** The terms of a hold; null where unknown. */
export interface HoldTerms {
  promptTokens: number | null
  /** Of all answers together. */
  outputTokens: number | null
  answers: number
  prices: { prompt: bigint; perOutputToken: bigint } | null
}

/**
 * The amount to hold before a call so that it can never cost more: every prompt token at the highest price that a
 * prompt token can have, and answers of full length.
 */
export function holdTerms(worst: WorstCase): HoldTerms {
  const { promptTokens: bound, bounds, price, contextWindow, maxOutputTokens, pricePercent = 100 } = worst
  const { answers } = bounds
  const promptTokens = bound ?? contextWindow
  const limit = bounds.outputTokens ?? maxOutputTokens
  const dearest = price === undefined || promptTokens === null ? null : dearestPrices(price, promptTokens)
  const prices =
    dearest === null || promptTokens === null
      ? null
      : {
          prompt: charged(BigInt(promptTokens) * dearest.input, pricePercent),
          perOutputToken: charged(dearest.output, pricePercent),
        }
  return { promptTokens, outputTokens: limit === null ? null : limit * answers, answers, prices }
}

function charged(list: bigint, percent: number): bigint {
  return percent === 100 ? list : (list * BigInt(percent) + 99n) / 100n
}

/** Null when the price or a length is unknown. */
export function moneyOf({ outputTokens, prices }: HoldTerms): Picodollars | null {
  if (prices === null || outputTokens === null) return null
  return asPicodollars(prices.prompt + BigInt(outputTokens) * prices.perOutputToken)
}

/** Above every limit; beyond it the sums of a minute would not be exact. */
const MOST_TOKENS = 1e12

export function tokensOf({ promptTokens, outputTokens }: HoldTerms): number | null {
  return promptTokens === null || outputTokens === null ? null : Math.min(promptTokens + outputTokens, MOST_TOKENS)
}

/** The longest output with which the call costs at most this amount; null when there is none. */
export function maxTokensWithin({ prices, answers }: HoldTerms, money: bigint): number | null {
  if (prices === null || prices.prompt > money) return null
  if (prices.perOutputToken === 0n) return MOST_TOKENS
  const tokens = (money - prices.prompt) / prices.perOutputToken / BigInt(answers)
  return tokens >= 1n ? Number(tokens) : null
}

interface Dearest {
  input: bigint
  output: bigint
}

/** The highest prompt price and the highest output price, over the base prices and every tier the prompt can reach. */
function dearestPrices({ base, tiers }: Price, prompt: number): Dearest | null {
  if (base === null) return null
  let dearest = dearestOf(base)
  for (const { above, prices } of tiers) {
    if (prompt <= above) continue
    if (prices === null) return null
    const { input, output } = dearestOf(prices)
    dearest = { input: larger(dearest.input, input), output: larger(dearest.output, output) }
  }
  return dearest
}

const known = new WeakMap<ClassPrices, Dearest>()

/** Prices are immutable values of the snapshot, so they are compared once. */
function dearestOf(prices: ClassPrices): Dearest {
  let dearest = known.get(prices)
  if (dearest === undefined) {
    dearest = { input: 0n, output: 0n }
    for (const { name, side } of TOKEN_CLASSES) {
      const part = side === 'prompt' ? 'input' : 'output'
      dearest[part] = larger(dearest[part], prices[name])
    }
    known.set(prices, dearest)
  }
  return dearest
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
