import { columnUsd, exactUsd } from '../../format/money.ts'
import { count } from '../../format/number.ts'
import { isInPlaceOfTokens, isTime, nameOfUse, type Unit } from '../../format/units.ts'

/** What `requests.explain` says of a cost. */
export interface ExplainedCost {
  lines: readonly { class: string; tokens: number; usd_per_mtok: string; amount_usd: string }[]
  uses: readonly UseLine[]
  list_usd: string
  price_percent: number
  total_usd: string
}

interface UseLine {
  name: string
  unit: Unit
  uses: number
  paid: number
  usd_per_1000: string
  amount_usd: string
}

export interface CostRow {
  name: string
  tokens: string
  price: string
  amount: string
}

export interface CostArithmetic {
  rows: CostRow[]
  /** Tools that the provider ran, and units: after the percentage, which does not apply to them. */
  tools: CostRow[]
  /** Said when the provider does not charge the list price. */
  list: string | null
  total: string
}

/** Fewest decimals: as many as the header of the answer has. */
const FEWEST_DECIMALS = 6

/** The arithmetic as it is written under each other: every digit, the points in one line. */
export function arithmeticOf(cost: ExplainedCost): CostArithmetic {
  const amounts = [...[...cost.lines, ...cost.uses].map((line) => line.amount_usd), cost.list_usd, cost.total_usd]
  const decimals = Math.max(FEWEST_DECIMALS, ...amounts.map(decimalsOf))
  return {
    rows: cost.lines.map((line) => ({
      name: line.class.charAt(0).toUpperCase() + line.class.slice(1),
      tokens: count(line.tokens),
      price: exactUsd(line.usd_per_mtok),
      amount: columnUsd(line.amount_usd, decimals),
    })),
    tools: cost.uses.map((line) => ({
      name: isInPlaceOfTokens(line.name) ? nameOfUse(line.name) : `Tool: ${line.name.replaceAll('_', ' ')}`,
      tokens: quantityOf(line),
      price: `${exactUsd(line.usd_per_1000)} per 1,000${isTime(line.unit) ? ` ${line.unit.replace('audio_', '')}s` : ''}`,
      amount: columnUsd(line.amount_usd, decimals),
    })),
    list: cost.price_percent === 100 ? null : columnUsd(cost.list_usd, decimals),
    total: columnUsd(cost.total_usd, decimals),
  }
}

function quantityOf({ unit, uses, paid }: UseLine): string {
  if (unit === 'request') return 'once'
  if (!isTime(unit)) return count(uses)
  return paid === uses ? `${uses / 1_000} s` : `${uses / 1_000} s, paid as ${paid / 1_000} s`
}

function decimalsOf(usd: string): number {
  return usd.split('.')[1]?.replace(/0+$/, '').length ?? 0
}
