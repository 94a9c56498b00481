import type { LineClass } from '../line.ts'

/** One class of tokens of a cell. Amounts and prices are picodollars, quantities tokens. */
export interface ClassFigures {
  class: LineClass
  /** Our list price of one token; null: unknown. */
  price: bigint | null
  ours: { quantity: bigint; amount: bigint }
  /** Without a quantity only the money can be compared. */
  theirs: { quantity: bigint | null; amount: bigint }
  /** What the source's rounding can explain. */
  tolerance: bigint
}

/** Calls that may have cost more than their row says. */
export interface Unconfirmed {
  calls: bigint
  least: bigint
  most: bigint
  /** Some of the requests. */
  ids: readonly string[]
}

export const NO_UNCONFIRMED: Unconfirmed = { calls: 0n, least: 0n, most: 0n, ids: [] }

/** The finest stretch of time of which both sides know the tokens: a minute, an hour or the whole period. */
export interface Interval {
  start: number
  end: number
  tokens: ReadonlyMap<LineClass, { ours: bigint; theirs: bigint }>
  requests: { ours: bigint; theirs: bigint | null }
  unconfirmed: Unconfirmed
  /** Theirs minus ours at our prices: the quantity part of the difference. */
  difference: bigint
  /** No tokens were reported, so the difference is of the money. */
  isMoneyOnly: boolean
}

/** Rows that our hourly sums have and the log has not. */
export interface MissingRows {
  start: number
  end: number
  requests: bigint
  amount: bigint
}

/** A line that is not about tokens: a tool, tax, fee, credit, or a line of unknown meaning. */
export interface Charge {
  class: LineClass
  quantity: bigint | null
  ours: bigint
  theirs: bigint
}

/** Tokens that the report puts into a tier. */
export interface TierTokens {
  tier: string
  class: LineClass
  theirs: bigint
}

/** What is compared: a provider's model in one period, mostly a day in the zone of the report. */
export interface Cell {
  provider: string
  /** `2026-11-01`, or of longer periods `2026-11-01/2026-11-30`. */
  period: string
  start: number
  end: number
  /** Null: lines that belong to no model. */
  model: string | null
  classes: readonly ClassFigures[]
  intervals: readonly Interval[]
  tiers: readonly TierTokens[]
  charges: readonly Charge[]
  missing: readonly MissingRows[]
  /** From then on the report is expected not to change. */
  settlesAt: number
  has: { ours: boolean; theirs: boolean }
  /** Keys, projects or workspaces of the vendor that the lines are of. */
  accounts: readonly string[]
}

/** Calls that began in one stretch of time and ended in another. */
export interface Crossing {
  provider: string
  model: string
  startedAt: number
  finishedAt: number
  amount: bigint
}

export interface Problem {
  cells: readonly Cell[]
  crossings: readonly Crossing[]
  now: number
}

/** The price part of a class: theirs − ours minus the quantity part. */
export function priceDifference({ price, ours, theirs }: ClassFigures): bigint {
  if (theirs.quantity === null) return 0n
  // All of it is a quantity where our side has no price because it has no such tokens.
  if (price === null) return ours.quantity === 0n && theirs.quantity > 0n ? 0n : theirs.amount - ours.amount
  return theirs.amount - ours.amount - (theirs.quantity - ours.quantity) * price
}

export function cellDifference({ classes, charges }: Cell): bigint {
  const usage = classes.reduce((sum, { ours, theirs }) => sum + theirs.amount - ours.amount, 0n)
  return charges.reduce((sum, { ours, theirs }) => sum + theirs - ours, usage)
}
