import type { Attributed } from './attribute.ts'
import { CAUSES, type Cause } from './steps/step.ts'
import { type CellTake, sentenceOf } from './words.ts'

export interface Totals {
  ours: bigint
  theirs: bigint
  /** Of the difference: at our prices, and what other prices make of it. */
  quantity: bigint
  price: bigint
  unexplained: bigint
}

export interface CauseSummary {
  cause: Cause
  amount: bigint
  sentence: string
  /** The largest of them. */
  examples: readonly CellTake[]
}

export interface ProviderSummary extends Totals {
  provider: string
  accounts: readonly string[]
  causes: readonly CauseSummary[]
  periods: readonly (Totals & { period: string; settlesAt: number })[]
  cells: readonly CellSummary[]
}

/** A model in one period. */
export interface CellSummary extends Totals {
  period: string
  /** Null: lines that belong to no model. */
  model: string | null
  start: number
  end: number
  settlesAt: number
  accounts: readonly string[]
  causes: readonly CauseSummary[]
}

const MOST_EXAMPLES = 5

export function summarize(attributed: readonly Attributed[]): ProviderSummary[] {
  return [...Map.groupBy(attributed, ({ cell }) => cell.provider)].toSorted(byName).map(([provider, cells]) => ({
    ...{ provider, ...totalsOf(cells), accounts: accountsOf(cells), causes: causesOf(cells) },
    periods: [...Map.groupBy(cells, ({ cell }) => cell.period)].toSorted(byName).map(([period, own]) => ({
      ...{ period, ...totalsOf(own), settlesAt: Math.max(...own.map(({ cell }) => cell.settlesAt)) },
    })),
    cells: cells.map((each) => {
      const { period, model, start, end, settlesAt, accounts } = each.cell
      return { period, model, start, end, settlesAt, accounts, ...totalsOf([each]), causes: causesOf([each]) }
    }),
  }))
}

function accountsOf(cells: readonly Attributed[]): string[] {
  return [...new Set(cells.flatMap(({ cell }) => cell.accounts))].toSorted()
}

function byName([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1
}

function totalsOf(cells: readonly Attributed[]): Totals {
  const sum = (value: (each: Attributed) => bigint) => cells.reduce((total, each) => total + value(each), 0n)
  const side = (name: 'ours' | 'theirs') =>
    sum(({ cell }) =>
      [...cell.classes.map((each) => each[name].amount), ...cell.charges.map((each) => each[name])].reduce(
        (total, amount) => total + amount,
        0n,
      ),
    )
  const [ours, theirs] = [side('ours'), side('theirs')]
  const quantity = sum(({ cell }) => cell.intervals.reduce((total, { difference }) => total + difference, 0n))
  const lines = sum(({ cell }) => cell.charges.reduce((total, each) => total + each.theirs - each.ours, 0n))
  const price = theirs - ours - quantity - lines
  return { ours, theirs, quantity, price, unexplained: sum(({ unexplained }) => unexplained) }
}

function causesOf(cells: readonly Attributed[]): CauseSummary[] {
  const takes = cells.flatMap(({ cell, takes }) => takes.map((take): CellTake => ({ ...take, of: cell })))
  const byCause = Map.groupBy(takes, ({ cause }) => cause)
  return CAUSES.flatMap((cause) => {
    const own = byCause.get(cause) ?? []
    if (own.length === 0) return []
    const largest = own.toSorted((a, b) => (size(b.amount) > size(a.amount) ? 1 : -1)).slice(0, MOST_EXAMPLES)
    const amount = own.reduce((total, take) => total + take.amount, 0n)
    return [{ cause, amount, sentence: sentenceOf(cause, own), examples: largest }]
  })
}

const size = (amount: bigint) => (amount < 0n ? -amount : amount)
