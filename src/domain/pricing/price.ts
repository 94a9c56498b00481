import { promptTokens, type TokenUsage } from './usage.ts'

declare const picodollars: unique symbol
/** Whole picodollars: 1 USD = 10¹². No floating point ever touches money. */
export type Picodollars = bigint & { readonly [picodollars]: true }

export function asPicodollars(value: bigint): Picodollars {
  return value as Picodollars
}

/** Decimal USD per million tokens, as people and price lists write it; null = unknown or not offered. */
export interface TokenPrices {
  input_per_mtok: string | null
  cached_input_per_mtok: string | null
  cache_write_5m_per_mtok: string | null
  cache_write_30m_per_mtok: string | null
  cache_write_1h_per_mtok: string | null
  output_per_mtok: string | null
}

/** Replaces the base prices for the whole request once its prompt is longer than the threshold. */
export interface PriceTier extends TokenPrices {
  prompt_tokens_above: number
}

export interface PriceList extends TokenPrices {
  tiers: PriceTier[]
}

const DECIMAL = /^(\d{1,9})(?:\.(\d{1,6}))?$/

/**
 * "0.15" USD per million tokens → 150000 pUSD per token. Six decimals make exactly one picodollar per token, so every
 * price we accept is exact; more decimals are refused rather than rounded.
 */
export function picodollarsPerToken(perMtok: string): Picodollars {
  const match = DECIMAL.exec(perMtok)
  if (match === null) {
    throw new RangeError(`"${perMtok}" is not a price: write USD per million tokens with at most six decimals`)
  }
  return asPicodollars(BigInt(match[1] ?? '0') * 1_000_000n + BigInt((match[2] ?? '').padEnd(6, '0')))
}

export interface ClassPrices {
  input: bigint
  cachedInput: bigint
  cacheWrite5m: bigint
  cacheWrite30m: bigint
  cacheWrite1h: bigint
  output: bigint
}

/** A price list compiled for the hot path; null when the model's input or output price is unknown. */
export interface Price {
  base: ClassPrices | null
  tiers: { above: number; prices: ClassPrices | null }[]
}

export function compilePrice(list: PriceList): Price {
  const tiers = list.tiers
    .map((tier) => ({ above: tier.prompt_tokens_above, prices: compileClasses(tier) }))
    .sort((a, b) => b.above - a.above)
  return { base: compileClasses(list), tiers }
}

/** A class without a price of its own costs what plain input costs: no discount listed, no discount given. */
function compileClasses(list: TokenPrices): ClassPrices | null {
  if (list.input_per_mtok === null || list.output_per_mtok === null) return null
  const input = picodollarsPerToken(list.input_per_mtok)
  const orInput = (price: string | null) => (price === null ? input : picodollarsPerToken(price))
  return {
    input,
    cachedInput: orInput(list.cached_input_per_mtok),
    cacheWrite5m: orInput(list.cache_write_5m_per_mtok),
    cacheWrite30m: orInput(list.cache_write_30m_per_mtok),
    cacheWrite1h: orInput(list.cache_write_1h_per_mtok),
    output: picodollarsPerToken(list.output_per_mtok),
  }
}

/** What the log can hold: some nine million dollars. A provider whose counts cost more is not believed. */
const LARGEST_COST = 2n ** 63n - 1n

/** The cost of a call, exact; null when the price is unknown, or when the counts are absurd. */
export function costOf(usage: TokenUsage, price: Price): Picodollars | null {
  const prompt = promptTokens(usage)
  const tier = price.tiers.find((candidate) => prompt > candidate.above)
  const prices = tier === undefined ? price.base : tier.prices
  if (prices === null) return null
  const list =
    BigInt(usage.input) * prices.input +
    BigInt(usage.cachedInput) * prices.cachedInput +
    BigInt(usage.cacheWrite5m) * prices.cacheWrite5m +
    BigInt(usage.cacheWrite30m) * prices.cacheWrite30m +
    BigInt(usage.cacheWrite1h) * prices.cacheWrite1h +
    BigInt(usage.output) * prices.output
  const cost = usage.pricePercent === 100 ? list : (list * BigInt(usage.pricePercent) + 50n) / 100n
  return cost > LARGEST_COST ? null : asPicodollars(cost)
}

/** Six decimals, half up: the form of the `x-gateway-cost-usd` header. */
export function usdWithSixDecimals(cost: Picodollars): string {
  const micro = (cost + 500_000n) / 1_000_000n
  return `${micro / 1_000_000n}.${String(micro % 1_000_000n).padStart(6, '0')}`
}

/** An amount as the API writes it, with at most twelve decimals. */
export function picodollarsOfUsd(usd: string): Picodollars {
  const [whole = '0', fraction = ''] = usd.split('.')
  return asPicodollars(BigInt(whole) * 1_000_000_000_000n + BigInt(fraction.padEnd(12, '0')))
}

/** Every digit, no trailing zeros: the form of `cost_usd` in the API and of exports. */
export function exactUsd(cost: Picodollars): string {
  const fraction = String(cost % 1_000_000_000_000n)
    .padStart(12, '0')
    .replace(/0+$/, '')
  const whole = cost / 1_000_000_000_000n
  return fraction === '' ? String(whole) : `${whole}.${fraction}`
}
