import { TOKEN_CLASSES } from './classes.ts'
import { asPicodollars, exactUsd, type Picodollars, type PriceList, picodollarsPerToken } from './price.ts'
import { chargedTokens, promptTokens, type TokenUsage } from './usage.ts'

/** One class of tokens of a call: tokens × price = amount. */
export interface CostLine {
  class: string
  tokens: number
  perMtok: string
  /** Where the list has no price for this class: the one whose price it costs. */
  pricedAs: 'input' | 'output' | null
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
  const plain = { prompt: ['input', input], answer: ['output', output] } as const
  const lines = TOKEN_CLASSES.flatMap(({ name, label, price, side }): CostLine[] => {
    const tokens = chargedTokens(usage, name)
    if (tokens === 0) return []
    const own = prices[price]
    const [fallback, fallbackPrice] = plain[side]
    const perMtok = own ?? fallbackPrice
    const amount = asPicodollars(BigInt(tokens) * picodollarsPerToken(perMtok))
    return [{ class: label, tokens, perMtok, pricedAs: own === null ? fallback : null, amount }]
  })
  const listAmount = asPicodollars(lines.reduce((sum, line) => sum + line.amount, 0n))
  const { pricePercent } = usage
  const total = pricePercent === 100 ? listAmount : asPicodollars((listAmount * BigInt(pricePercent) + 50n) / 100n)
  return { tierAbove: tier?.prompt_tokens_above ?? null, lines, listAmount, pricePercent, total }
}

/** The same as sentences, one line each, the sum last. */
export function costWords(cost: CostLines): string[] {
  const words: string[] = []
  if (cost.tierAbove !== null) {
    words.push(`the prompt is longer than ${cost.tierAbove} tokens, so the prices of that tier apply to the whole call`)
  }
  for (const { class: name, tokens, perMtok, pricedAs, amount } of cost.lines) {
    const note = pricedAs === null ? '' : ` (no price of its own: priced as ${pricedAs})`
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
