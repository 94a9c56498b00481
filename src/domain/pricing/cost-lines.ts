import {
  asPicodollars,
  exactUsd,
  type Picodollars,
  type PriceList,
  picodollarsPerToken,
  type TokenPrices,
} from './price.ts'
import { promptTokens, type TokenUsage } from './usage.ts'

/** One class of tokens of a call: tokens × price = amount. */
export interface CostLine {
  class: string
  tokens: number
  perMtok: string
  /** The list has no price for this class, so it costs what plain input costs. */
  pricedAsInput: boolean
  amount: Picodollars
}

export interface CostLines {
  /** The tier whose prices applied, by its threshold; null for the base prices. */
  tierAbove: number | null
  lines: CostLine[]
  /** Sum of the lines, before the percentage. */
  listAmount: Picodollars
  pricePercent: number
  total: Picodollars
}

const CLASSES = [
  ['input', 'input', 'input_per_mtok'],
  ['cached input', 'cachedInput', 'cached_input_per_mtok'],
  ['cache write (5 minutes)', 'cacheWrite5m', 'cache_write_5m_per_mtok'],
  ['cache write (30 minutes)', 'cacheWrite30m', 'cache_write_30m_per_mtok'],
  ['cache write (1 hour)', 'cacheWrite1h', 'cache_write_1h_per_mtok'],
  ['output', 'output', 'output_per_mtok'],
] as const satisfies readonly (readonly [string, keyof TokenUsage, keyof TokenPrices])[]

/**
 * The arithmetic of a call's cost, line by line: the long form of `costOf`, from the list as people wrote it. Null when
 * the prices that apply are unknown. Classes without tokens are left out.
 */
export function costLines(usage: TokenUsage, list: PriceList): CostLines | null {
  const prompt = promptTokens(usage)
  const tier = list.tiers
    .filter((candidate) => prompt > candidate.prompt_tokens_above)
    .sort((a, b) => b.prompt_tokens_above - a.prompt_tokens_above)[0]
  const prices = tier ?? list
  const { input_per_mtok: input, output_per_mtok: output } = prices
  if (input === null || output === null) return null
  const lines = CLASSES.filter(([, field]) => usage[field] > 0).map(([name, field, price]): CostLine => {
    const perMtok = prices[price] ?? input
    const amount = asPicodollars(BigInt(usage[field]) * picodollarsPerToken(perMtok))
    return { class: name, tokens: usage[field], perMtok, pricedAsInput: prices[price] === null, amount }
  })
  const listAmount = asPicodollars(lines.reduce((sum, line) => sum + line.amount, 0n))
  const { pricePercent } = usage
  const total = pricePercent === 100 ? listAmount : asPicodollars((listAmount * BigInt(pricePercent) + 50n) / 100n)
  return { tierAbove: tier?.prompt_tokens_above ?? null, lines, listAmount, pricePercent, total }
}

/** The same in words, one line each, the sum last. */
export function costWords(cost: CostLines): string[] {
  const words: string[] = []
  if (cost.tierAbove !== null) {
    words.push(`the prompt is longer than ${cost.tierAbove} tokens, so the prices of that tier apply to the whole call`)
  }
  for (const { class: name, tokens, perMtok, pricedAsInput, amount } of cost.lines) {
    const note = pricedAsInput ? ' (no price of its own: priced as input)' : ''
    words.push(`${name}: ${tokens} tokens × ${perMtok} USD per million = ${exactUsd(amount)} USD${note}`)
  }
  if (cost.pricePercent !== 100) {
    words.push(
      `the provider charges ${cost.pricePercent} % of the list price: ${exactUsd(cost.listAmount)} × ${cost.pricePercent} % = ` +
        `${exactUsd(cost.total)} USD, rounded half up to a picodollar`,
    )
  }
  words.push(`total: ${exactUsd(cost.total)} USD`)
  return words
}
