import { z } from 'zod'
import { perClass } from './classes.ts'
import { asPicodollars, compilePrice, costOf, NO_PRICES, type Picodollars, type Price } from './price.ts'
import type { TokenUsage } from './usage.ts'

const Percent = z
  .string()
  .regex(/^-?\d{1,5}(\.\d{1,4})?$/, 'a percentage with at most four decimals, such as "20" or "-2.5"')
  .refine((text) => Number(text) >= -100, 'must be -100 or more')

const PerMtok = z.string().regex(/^\d{1,9}(\.\d{1,6})?$/, 'USD per million tokens, at most six decimals')

/** Prices of our own for one route or model. A class without one costs as much as plain input or output. */
const OwnPrices = z.strictObject({
  ...perClass('price', () => PerMtok.optional()),
  input_per_mtok: PerMtok,
  output_per_mtok: PerMtok,
})

/** What a workspace charges its own customers: beside the provider's cost, never mixed with it. */
export const Resale = z.strictObject({
  markup_percent: Percent.optional().describe('Added to the cost of calls without a price below; negative: a discount'),
  prices: z
    .record(z.string().min(1).max(600), OwnPrices)
    .optional()
    .describe('By route alias or PROVIDER/MODEL; the alias wins'),
})
export type Resale = z.infer<typeof Resale>

/** Ready for the calls of a workspace. */
export interface CompiledResale {
  /** Of the cost, in millionths; null: calls without a price of their own have none. */
  millionths: bigint | null
  prices: ReadonlyMap<string, Price>
}

const MILLION = 1_000_000n

export function resaleFromText(text: string | null): Resale | null {
  return text === null ? null : (JSON.parse(text) as Resale)
}

export function compileResale({ markup_percent: markup, prices = {} }: Resale): CompiledResale {
  const compiled = Object.entries(prices).map(([name, own]): [string, Price] => {
    const given = Object.entries(own).filter(([, price]) => price !== undefined)
    return [name, compilePrice({ ...NO_PRICES, ...Object.fromEntries(given), tiers: [] })]
  })
  return { millionths: markup === undefined ? null : MILLION + millionthsOf(markup), prices: new Map(compiled) }
}

/** "2.5" percent is 25,000 millionths: four decimals are exact. */
function millionthsOf(percent: string): bigint {
  const [whole = '0', fraction = ''] = percent.replace('-', '').split('.')
  const amount = BigInt(whole) * 10_000n + BigInt(fraction.padEnd(4, '0'))
  return percent.startsWith('-') ? -amount : amount
}

export interface ResoldCall {
  alias: string | null
  provider: string | null
  model: string | null
  usage: TokenUsage | null
  cost: Picodollars | null
}

/** The most that the log can store. */
const LARGEST = 2n ** 63n - 1n

/** Null: the workspace has no price for it, or what the price is of is unknown. Never a guess. */
export function resaleOf(resale: CompiledResale, { alias, provider, model, usage, cost }: ResoldCall): bigint | null {
  const own = resale.prices.get(alias ?? '') ?? resale.prices.get(`${provider}/${model}`)
  if (own !== undefined && usage !== null) return costOf(atList(usage), own)
  if (resale.millionths === null || cost === null) return null
  const charged = (cost * resale.millionths + MILLION / 2n) / MILLION
  return charged > LARGEST ? null : asPicodollars(charged)
}

/** What the provider adds for its own tiers is not part of our price. */
function atList(usage: TokenUsage): TokenUsage {
  return usage.pricePercent === 100 ? usage : { ...usage, pricePercent: 100 }
}
