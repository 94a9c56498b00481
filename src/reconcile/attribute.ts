import type { LineClass } from './line.ts'
import { type Cell, cellDifference, type Problem, priceDifference } from './match/cell.ts'
import { charges, notSettled, tools } from './steps/lines.ts'
import { price, rounding, tier } from './steps/price.ts'
import { foreign, mapping, midnight, missingRows, notBilled, otherClass, unconfirmed } from './steps/quantity.ts'
import type { Part, Rests, Step, Take } from './steps/step.ts'

/**
 * Each takes what its test supports and hands on the rest. Our own proof comes first: in totals a missing row looks like
 * a foreign call. A pair of names comes before the calls that would explain each of the two alone.
 */
const STEPS: readonly Step[] = [
  missingRows,
  notSettled,
  charges,
  midnight,
  otherClass,
  tier,
  price,
  tools,
  mapping,
  unconfirmed,
  foreign,
  notBilled,
  rounding,
]

export interface Attributed {
  cell: Cell
  difference: bigint
  takes: readonly Take[]
  /** Zero where every part is explained. */
  unexplained: bigint
}

/** Σ takes + unexplained = difference, exactly, in every cell. */
export function attribute(problem: Problem, steps: readonly Step[] = STEPS): Attributed[] {
  const left = createRests(problem)
  const takes: Take[] = []
  for (const step of steps) {
    const found = step(problem, left).filter(({ amount }) => amount !== 0n)
    for (const take of found) left.subtract(take)
    takes.push(...found)
  }
  return problem.cells.map((cell, index) => {
    const own = takes.filter((take) => take.cell === index)
    return { cell, difference: cellDifference(cell), takes: own, unexplained: left.total(index) }
  })
}

function createRests({ cells }: Problem): Rests & { subtract(take: Take): void; total(cell: number): bigint } {
  const rests = cells.map((cell) => ({
    intervals: cell.intervals.map(({ difference }) => difference),
    prices: new Map(cell.classes.map((each) => [each.class, priceDifference(each)])),
    charges: cell.charges.map(({ ours, theirs }) => theirs - ours),
  }))
  return {
    interval: (cell, interval) => rests[cell]?.intervals[interval] ?? 0n,
    price: (cell, name: LineClass) => rests[cell]?.prices.get(name) ?? 0n,
    charge: (cell, charge) => rests[cell]?.charges[charge] ?? 0n,
    total(cell) {
      const { intervals = [], prices, charges = [] } = rests[cell] ?? {}
      return [...intervals, ...(prices?.values() ?? []), ...charges].reduce((sum, each) => sum + each, 0n)
    },
    subtract({ cell, part, amount }) {
      const rest = rests[cell]
      if (rest !== undefined) subtractFrom(rest, part, amount)
    },
  }
}

interface Rest {
  intervals: bigint[]
  prices: Map<LineClass, bigint>
  charges: bigint[]
}

function subtractFrom({ intervals, prices, charges }: Rest, part: Part, amount: bigint): void {
  if ('interval' in part) intervals[part.interval] = (intervals[part.interval] ?? 0n) - amount
  else if ('charge' in part) charges[part.charge] = (charges[part.charge] ?? 0n) - amount
  else prices.set(part.class, (prices.get(part.class) ?? 0n) - amount)
}
