import { TOKEN_CLASSES } from './classes.ts'
import {
  asPicodollars,
  compileUnits,
  exactUsd,
  type Picodollars,
  type PriceList,
  picodollarsPerToken,
  type TokenPrices,
} from './price.ts'
import { arePaidAlone, feeOf, isInPlaceOfTokens, millisecondsOf, paidUses, rateOf, type Unit } from './unit-prices.ts'
import { chargedTokens, hasTokens, promptTokens, type TokenUsage } from './usage.ts'

/** One class of tokens of a call: tokens × price = amount. */
export interface CostLine {
  class: string
  tokens: number
  perMtok: string
  /** Where the list has no price for this class: the one whose price it costs. */
  pricedAs: 'input' | 'output' | null
  amount: Picodollars
}

/** What a call used beside tokens: units × price = amount. */
export interface UseLine {
  name: string
  unit: Unit
  /** As counted; of time, milliseconds. */
  uses: number
  /** As paid: of a fee per request, one; of time, at least the minimum. */
  paid: number
  per1000: string
  amount: Picodollars
}

export interface CostLines {
  /** The tier whose prices applied, by its threshold; null for the base prices. */
  tierAbove: number | null
  lines: CostLine[]
  /** Of tools: the percentage does not apply to them. */
  uses: UseLine[]
  /** Sum of the lines of tokens, before the percentage. */
  listAmount: Picodollars
  pricePercent: number
  total: Picodollars
}

/**
 * The arithmetic of a call's cost, line by line: the long form of `costOf`, from the list as people wrote it. Null when
 * a price that applies is unknown. Classes without tokens are left out.
 */
export function costLines(usage: TokenUsage, list: PriceList): CostLines | null {
  const prompt = promptTokens(usage)
  const tier = list.tiers
    .filter((candidate) => prompt > candidate.prompt_tokens_above)
    .sort((a, b) => b.prompt_tokens_above - a.prompt_tokens_above)[0]
  const prices = tier ?? list
  const { input_per_mtok: input, output_per_mtok: output } = prices
  const isUnpriced = input === null || output === null
  if (isUnpriced && (usage.uses == null || !arePaidAlone(usage.uses))) return null
  const lines = isUnpriced ? [] : tokenLines(usage, { ...prices, input_per_mtok: input, output_per_mtok: output })
  const uses = linesOfUses(usage, list, !isUnpriced && hasTokens(usage))
  if (uses === null) return null
  const listAmount = asPicodollars(lines.reduce((sum, line) => sum + line.amount, 0n))
  const { pricePercent } = usage
  const tokens = pricePercent === 100 ? listAmount : (listAmount * BigInt(pricePercent) + 50n) / 100n
  const total = asPicodollars(uses.reduce((sum, line) => sum + line.amount, tokens))
  return { tierAbove: tier?.prompt_tokens_above ?? null, lines, uses, listAmount, pricePercent, total }
}

type Priced = TokenPrices & { input_per_mtok: string; output_per_mtok: string }

function tokenLines(usage: TokenUsage, prices: Priced): CostLine[] {
  const { input_per_mtok: input, output_per_mtok: output } = prices
  const plain = { prompt: ['input', input], answer: ['output', output] } as const
  return TOKEN_CLASSES.flatMap(({ name, label, price, side }): CostLine[] => {
    const tokens = chargedTokens(usage, name)
    if (tokens === 0) return []
    const own = prices[price]
    const [fallback, fallbackPrice] = plain[side]
    const perMtok = own ?? fallbackPrice
    const amount = asPicodollars(BigInt(tokens) * picodollarsPerToken(perMtok))
    return [{ class: label, tokens, perMtok, pricedAs: own === null ? fallback : null, amount }]
  })
}

function linesOfUses({ uses }: TokenUsage, { unit_prices: prices = [] }: PriceList, isByTokens: boolean) {
  const rates = compileUnits(prices)
  const lines: UseLine[] = []
  for (const [name, count] of Object.entries(uses ?? {})) {
    const rate = rateOf(name, rates)
    if (rate !== undefined) {
      const { unit, usd_per_1000: per1000 } = rate.price
      const amount = asPicodollars(feeOf(count, rate))
      lines.push({ name, unit, uses: count, paid: paidUses(count, rate), per1000, amount })
    } else if (!isByTokens || !isInPlaceOfTokens(name)) return null
  }
  return lines
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
    const fees = cost.uses.reduce((sum, line) => sum + line.amount, 0n)
    words.push(
      `the provider charges ${cost.pricePercent} % of the list price: ${exactUsd(cost.listAmount)} × ${cost.pricePercent} % = ` +
        `${exactUsd(asPicodollars(cost.total - fees))} USD, rounded half up to a picodollar`,
    )
  }
  for (const line of cost.uses) words.push(wordsOfUse(line))
  words.push(`total: ${exactUsd(cost.total)} USD`)
  return words
}

function wordsOfUse({ name, unit, uses, paid, per1000, amount }: UseLine): string {
  const sum = `${exactUsd(amount)} USD`
  if (millisecondsOf(unit) !== null) {
    const time = paid === uses ? `${uses} ms` : `${uses} ms, paid as ${paid} ms,`
    return `${name}: ${time} × ${per1000} USD per thousand ${unit.replace('audio_', '')}s = ${sum}`
  }
  const units = unit === 'request' ? `used ${uses} times, paid once per request` : `${uses} × ${unit.replace('_', ' ')}`
  return `${name}: ${units} × ${per1000} USD per thousand = ${sum}`
}
