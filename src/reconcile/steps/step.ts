import type { LineClass } from '../line.ts'
import type { Cell, Problem } from '../match/cell.ts'

/** In the order in which they are tried. */
export const CAUSES = [
  'missing_rows',
  'not_settled',
  'charges',
  'midnight',
  'class',
  'tier',
  'price',
  'tools',
  'mapping',
  'unconfirmed',
  'unconfirmed_or_foreign',
  'foreign',
  'not_billed',
  'rounding',
] as const
export type Cause = (typeof CAUSES)[number]

/** Where in a cell a difference is: in the tokens of an interval, in the price of a class, in a line. */
export type Part = { interval: number } | { class: LineClass } | { charge: number }

/** Facts for the sentence; what a cause has no use for is left out. */
export interface Facts {
  class?: LineClass
  requests?: bigint
  quantity?: bigint
  tier?: string
  /** Theirs ÷ ours in millionths. */
  ratio?: bigint
  /** Price that the report implies, in picodollars per token. */
  price?: bigint
  /** From when on, Unix milliseconds. */
  since?: number
  /** The unconfirmed part, where foreign calls may be in the amount too. */
  least?: bigint
  most?: bigint
  /** Model that the other side may mean. */
  model?: string
  start?: number
  end?: number
  ids?: readonly string[]
}

export interface Take {
  cell: number
  part: Part
  amount: bigint
  cause: Cause
  facts: Facts
}

/** What of every cell no step has explained yet. */
export interface Rests {
  interval(cell: number, interval: number): bigint
  price(cell: number, name: LineClass): bigint
  charge(cell: number, charge: number): bigint
}

/** Reads the problem and what is left of it; explains a part only where its test holds. */
export type Step = (problem: Problem, rests: Rests) => Take[]

/** The same for each cell on its own. */
export function perCell(step: (cell: Cell, rests: CellRests, problem: Problem) => Omit<Take, 'cell'>[]): Step {
  return (problem, rests) =>
    problem.cells.flatMap((each, cell) => {
      const own = {
        interval: (interval: number) => rests.interval(cell, interval),
        price: (name: LineClass) => rests.price(cell, name),
        charge: (charge: number) => rests.charge(cell, charge),
      }
      return step(each, own, problem).map((take) => ({ cell, ...take }))
    })
}

export interface CellRests {
  interval(interval: number): bigint
  price(name: LineClass): bigint
  charge(charge: number): bigint
}

/** Everything that is left of a cell. */
export function allParts(cell: Cell, rests: CellRests): { part: Part; amount: bigint }[] {
  return [
    ...cell.intervals.map((_, interval) => ({ part: { interval }, amount: rests.interval(interval) })),
    ...cell.classes.map(({ class: name }) => ({ part: { class: name }, amount: rests.price(name) })),
    ...cell.charges.map((_, charge) => ({ part: { charge }, amount: rests.charge(charge) })),
  ].filter(({ amount }) => amount !== 0n)
}

export function size(amount: bigint): bigint {
  return amount < 0n ? -amount : amount
}

export function least(...amounts: bigint[]): bigint {
  return amounts.reduce((a, b) => (b < a ? b : a))
}
