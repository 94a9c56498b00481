import { TOKEN_CLASSES } from '../domain/pricing/classes.ts'
import { asPicodollars, type ClassPrices, type Picodollars, type Price } from '../domain/pricing/price.ts'
import { feeOf, isInPlaceOfTokens, rateOf } from '../domain/pricing/unit-prices.ts'
import type { Bounds, ToolBounds, UnitBound } from '../domain/request/bounds.ts'

/** The most that one call can use at one entry. */
export interface WorstCase {
  /** Null when only the context window bounds the prompt. */
  promptTokens: number | null
  bounds: Pick<Bounds, 'outputTokens' | 'answers' | 'tools' | 'units' | 'isTextPrompt'>
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
  /** `prompt`: with the fees of tools and the passes over it that they cause. */
  prices: { prompt: bigint; perOutputToken: bigint } | null
  /** Of a call that offers tools of the provider: how many calls of them, and the terms with fewer. */
  tools?: { calls: number; with(calls: number): HoldTerms }
}

/**
 * The amount to hold before a call so that it can never cost more: every prompt token at the highest price that a
 * prompt token can have, and answers of full length.
 */
export function holdTerms(worst: WorstCase): HoldTerms {
  const { tools } = worst.bounds
  return tools === undefined || tools.calls === 0 ? plainTerms(worst) : toolTerms(worst, tools)
}

function plainTerms(worst: WorstCase): HoldTerms {
  const { promptTokens: bound, bounds, price, contextWindow, maxOutputTokens, pricePercent = 100 } = worst
  const { answers } = bounds
  const promptTokens = bound ?? contextWindow
  const limit = bounds.outputTokens ?? maxOutputTokens
  if (bounds.units !== undefined && price?.base === null) return unitsAlone(bounds.units, price, worst)
  const dearest = price === undefined || promptTokens === null ? null : dearestPrices(price, promptTokens, bounds)
  const units = bounds.units === undefined ? 0n : unitsCost(bounds.units, price?.units, isCharged(dearest))
  const prices =
    dearest === null || promptTokens === null || units === null
      ? null
      : {
          prompt: charged(BigInt(promptTokens) * dearest.input, pricePercent) + units,
          perOutputToken: charged(dearest.output, pricePercent),
        }
  return { promptTokens, outputTokens: limit === null ? null : limit * answers, answers, prices }
}

/** Of a model without prices per token. */
function unitsAlone(units: readonly UnitBound[], { units: rates }: Price, worst: WorstCase): HoldTerms {
  const { answers, outputTokens } = worst.bounds
  const isAlone = units.every(({ name }) => isInPlaceOfTokens(name))
  const cost = isAlone ? unitsCost(units, rates, false) : null
  return {
    ...{ promptTokens: worst.promptTokens ?? 0, outputTokens: (outputTokens ?? 0) * answers, answers },
    prices: cost === null ? null : { prompt: cost, perOutputToken: 0n },
  }
}

/**
 * With k calls of tools the model reads its prompt k + 1 times, each time up to the window (W); where the most tokens that a
 * call adds (c) are known, and the prompt (B), this is the bound if it is smaller:
 * k·fee + ((k + 1)·B + c·k·(k + 1)/2 + k·o)·p + o·q, where o is the output limit.
 */
function toolTerms(worst: WorstCase, tools: ToolBounds): HoldTerms {
  const plain = plainTerms(worst)
  const { contextWindow: window, price, pricePercent = 100, promptTokens: prompt } = worst
  const { calls, addedTokens: added } = tools
  const withCalls = (fewer: number) =>
    holdTerms({ ...worst, bounds: { ...worst.bounds, tools: { ...tools, calls: fewer } } })
  const terms = { ...plain, tools: { calls, with: withCalls } }
  const fees = price === undefined ? null : feesOf(tools, price.units)
  if (window === null) return { ...terms, promptTokens: null }
  // Our own price of the call goes by the sum over all passes: it may reach a tier that no single pass does.
  const dearest = price === undefined ? null : dearestPrices(price, window * (calls + 1), worst.bounds)
  if (dearest === null || fees === null) return { ...terms, prices: null }
  const [k, p, q] = [BigInt(calls), charged(dearest.input, pricePercent), charged(dearest.output, pricePercent)]
  const passes = tools.isPerPass ? k + 1n : 1n
  const strict = { prompt: fees + (k + 1n) * BigInt(window) * p, perOutputToken: passes * q }
  if (added === null || prompt === null || plain.outputTokens === null) return { ...terms, prices: strict }
  const read = (k + 1n) * BigInt(prompt) + (BigInt(added) * k * (k + 1n)) / 2n
  const counted = { prompt: fees + read * p, perOutputToken: passes * q + k * p }
  const total = (prices: typeof strict) => prices.prompt + BigInt(plain.outputTokens ?? 0) * prices.perOutputToken
  return { ...terms, prices: total(counted) < total(strict) ? counted : strict }
}

/** Null: one has no price. No percentage applies to them. */
function unitsCost(units: readonly UnitBound[], rates: Price['units'], isByTokens: boolean): bigint | null {
  let cost = 0n
  for (const { name, most, orTokens } of units) {
    const rate = rateOf(name, rates)
    if (rate !== undefined) cost += feeOf(most, rate)
    else if (orTokens !== true || !isByTokens) return null
  }
  return cost
}

/** Prices of 0 say nothing of what is billed by units. */
function isCharged(dearest: Dearest | null): boolean {
  return dearest !== null && dearest.input + dearest.output > 0n
}

/** The dearest of the tools, for every call; null where one has no price. No percentage applies to fees. */
function feesOf({ calls, fees }: ToolBounds, rates: Price['units']): bigint | null {
  let dearest = 0n
  for (const { name, units } of fees) {
    const rate = rates?.get(name)
    if (rate === undefined) return null
    dearest = larger(dearest, (rate.isOnce ? 1n : BigInt(calls * units)) * rate.each)
  }
  return dearest
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
function dearestPrices({ base, tiers }: Price, prompt: number, { isTextPrompt }: WorstCase['bounds']): Dearest | null {
  if (base === null) return null
  let dearest = dearestOf(base)
  // Whatever it is of: media have no tiers and no cache.
  if (isTextPrompt === true) dearest = { input: base.input, output: dearest.output }
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
