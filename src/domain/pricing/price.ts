import { type ClassPriceField, PROMPT_CLASSES, perClass, TOKEN_CLASSES, type TokenClass } from './classes.ts'
import { arePaidAlone, compileUnit, feesOf, type UnitPrice, type UnitRate } from './unit-prices.ts'
import { chargedTokens, hasTokens, promptTokens, type TokenUsage, type Uses } from './usage.ts'

declare const picodollars: unique symbol
/** Whole picodollars: 1 USD = 10¹². No floating point ever touches money. */
export type Picodollars = bigint & { readonly [picodollars]: true }

export function asPicodollars(value: bigint): Picodollars {
  return value as Picodollars
}

/** Decimal USD per million tokens, as people and price lists write it; null = unknown or not offered. */
export type TokenPrices = Record<ClassPriceField, string | null>

export const NO_PRICES: TokenPrices = perClass('price', () => null)

/** Replaces the base prices for the whole request once its prompt is longer than the threshold. */
export interface PriceTier extends TokenPrices {
  prompt_tokens_above: number
}

export interface PriceList extends TokenPrices {
  tiers: PriceTier[]
  /** By name, the same in every tier. Missing: none is known. */
  unit_prices?: UnitPrice[]
}

/** A stored list; one from before a class was added has no price for it. */
export function parsePrices(text: string): PriceList {
  const { tiers, unit_prices, ...base } = JSON.parse(text) as PriceList
  return {
    ...NO_PRICES,
    ...base,
    tiers: tiers.map(({ prompt_tokens_above, ...prices }) => ({ prompt_tokens_above, ...NO_PRICES, ...prices })),
    ...(unit_prices !== undefined && { unit_prices }),
  }
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

/** By name. USD per thousand with at most six decimals are always whole picodollars for one unit. */
export function compileUnits(prices: readonly UnitPrice[]): ReadonlyMap<string, UnitRate & { price: UnitPrice }> {
  const rates = prices.map((price) => {
    const rate = compileUnit(price, picodollarsPerToken(price.usd_per_1000) * 1000n)
    return [price.name, { ...rate, price }] as const
  })
  return new Map(rates)
}

export type ClassPrices = Record<TokenClass, bigint>

/** A price list compiled for the hot path; null when the model's input or output price is unknown. */
export interface Price {
  base: ClassPrices | null
  tiers: { above: number; prices: ClassPrices | null }[]
  /** Of one use, by name; missing: nothing has one. */
  units?: ReadonlyMap<string, UnitRate>
}

export function compilePrice(list: PriceList): Price {
  const tiers = list.tiers
    .map((tier) => ({ above: tier.prompt_tokens_above, prices: compileClasses(tier) }))
    .sort((a, b) => b.above - a.above)
  const price: Price = { base: compileClasses(list), tiers }
  return list.unit_prices === undefined ? price : { ...price, units: compileUnits(list.unit_prices) }
}

/** A class without a price costs as much as plain input or output: no discount listed, no discount given. */
function compileClasses(list: TokenPrices): ClassPrices | null {
  if (list.input_per_mtok === null || list.output_per_mtok === null) return null
  const plain = { prompt: list.input_per_mtok, answer: list.output_per_mtok }
  return perClass('name', ({ price, side }) => picodollarsPerToken(list[price] ?? plain[side]))
}

/** The most that the log can store, about nine million dollars; counts that cost more are not believed. */
const LARGEST_COST = 2n ** 63n - 1n

/** The cost of a call, exact; null when a price is unknown, or when the counts are absurd. */
export function costOf(usage: TokenUsage, price: Price): Picodollars | null {
  const prompt = price.tiers.length === 0 ? 0 : promptTokens(usage)
  const tier = price.tiers.find((candidate) => prompt > candidate.above)
  const prices = tier === undefined ? price.base : tier.prices
  if (prices === null) return usage.uses != null && arePaidAlone(usage.uses) ? unitsAlone(usage.uses, price) : null
  let list = 0n
  for (const { name } of TOKEN_CLASSES) {
    const tokens = chargedTokens(usage, name)
    if (tokens !== 0) list += BigInt(tokens) * prices[name]
  }
  const tokens = usage.pricePercent === 100 ? list : (list * BigInt(usage.pricePercent) + 50n) / 100n
  const fees = usage.uses == null ? 0n : feesOf(usage.uses, price.units, hasTokens(usage))
  return fees === null ? null : believable(tokens + fees)
}

/** Whether what was used is billed by tokens that were not counted. */
export function lacksTokens(usage: TokenUsage, { base, units }: Price): boolean {
  if (usage.uses == null || base === null || hasTokens(usage) || !arePaidAlone(usage.uses)) return false
  return feesOf(usage.uses, units, true) !== null && feesOf(usage.uses, units, false) === null
}

/** Of a model without prices per token. */
function unitsAlone(uses: Uses, { units }: Price): Picodollars | null {
  const fees = feesOf(uses, units, false)
  return fees === null ? null : believable(fees)
}

function believable(cost: bigint): Picodollars | null {
  return cost > LARGEST_COST ? null : asPicodollars(cost)
}

/** The class in which a prompt of so many tokens costs most. */
export function dearestPromptClass({ base, tiers }: Price, tokens: number): TokenClass {
  const prices = tiers.find(({ above }) => tokens > above)?.prices ?? base
  let dearest: TokenClass = 'input'
  if (prices === null) return dearest
  for (const { name } of PROMPT_CLASSES) if (prices[name] > prices[dearest]) dearest = name
  return dearest
}

/** Six decimals, half up: the form of the `x-gateway-cost-usd` header. */
export function usdWithSixDecimals(cost: Picodollars): string {
  const micro = (cost + 500_000n) / 1_000_000n
  return `${micro / 1_000_000n}.${String(micro % 1_000_000n).padStart(6, '0')}`
}

/** An amount as the API writes it, with at most twelve decimals. */
export function picodollarsOfUsd(usd: string): Picodollars {
  if (usd.startsWith('-')) return asPicodollars(-picodollarsOfUsd(usd.slice(1)))
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

/** The same of what may be less than nothing. */
export function signedUsd(amount: bigint): string {
  return amount < 0n ? `-${exactUsd(asPicodollars(-amount))}` : exactUsd(asPicodollars(amount))
}
