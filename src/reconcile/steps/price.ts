import type { Cell, ClassFigures } from '../match/cell.ts'
import { allParts, least, perCell, type Step, size, type Take } from './step.ts'

/** What providers charge for a tier, in percent of the list price of the prompt and of the answer. */
const TIER_PERCENTS: Readonly<Record<string, { prompt: bigint; answer: bigint }>> = {
  priority: { prompt: 200n, answer: 200n },
  flex: { prompt: 50n, answer: 50n },
  flex_discount: { prompt: 50n, answer: 50n },
  batch: { prompt: 50n, answer: 50n },
  us: { prompt: 110n, answer: 110n },
  '200k-1M': { prompt: 200n, answer: 150n },
  'long context': { prompt: 200n, answer: 150n },
}
const PLAIN: ReadonlySet<string> = new Set(['default', 'standard', 'auto', 'on_demand'])

/** Millionths of the list price that tiers, regions and modes have been met with. */
const FACTORS: readonly bigint[] = [500_000n, 1_100_000n, 1_250_000n, 1_500_000n, 2_000_000n, 2_500_000n, 6_000_000n]
const MILLION = 1_000_000n

/** Their tier is not ours: by the tiers that the report names, or by a price that is a known multiple of the list. */
export const tier: Step = perCell((cell, rests) => {
  const named = cell.tiers.filter((each) => !PLAIN.has(each.tier))
  return named.length > 0 ? byName(cell, named, rests) : byFactor(cell, rests)
})

type CellStep = Parameters<typeof perCell>[0]
type CellTakes = ReturnType<CellStep>

function byName(cell: Cell, named: Cell['tiers'], rests: Parameters<CellStep>[1]): CellTakes {
  return cell.classes.flatMap((each) => {
    const [rest, price] = [rests.price(each.class), each.price]
    const own = named.filter(({ class: name }) => name === each.class)
    if (price === null || own.length === 0) return []
    const surcharges = own.map((of) => ({ of, percent: percentOf(of.tier, each.class) }))
    if (surcharges.some(({ percent }) => percent === null)) return []
    const theirs = surcharges.reduce(
      (sum, { of, percent }) => sum + (of.theirs * price * ((percent ?? 100n) - 100n)) / 100n,
      0n,
    )
    const expected = theirs - (each.ours.amount - each.ours.quantity * price)
    if (expected === 0n || rest === 0n || expected > 0n !== rest > 0n) return []
    const amount = least(size(rest), size(expected)) * (rest > 0n ? 1n : -1n)
    const facts = {
      class: each.class,
      tier: own[0]?.tier ?? '',
      quantity: own.reduce((sum, of) => sum + of.theirs, 0n),
    }
    return [{ part: { class: each.class }, amount, cause: 'tier' as const, facts }]
  })
}

/** Of `batch us` the product of both; null: one of them is not known. */
function percentOf(text: string, name: string): bigint | null {
  const side = name.endsWith('output') ? 'answer' : 'prompt'
  const words = TIER_PERCENTS[text] === undefined ? text.split(' ') : [text]
  return words.reduce<bigint | null>((product, word) => {
    const percent = PLAIN.has(word) ? 100n : TIER_PERCENTS[word]?.[side]
    return product === null || percent === undefined ? null : (product * percent) / 100n
  }, 100n)
}

function byFactor(cell: Cell, rests: Parameters<CellStep>[1]): CellTakes {
  const used = cell.classes.filter(({ theirs: { quantity } }) => (quantity ?? 0n) > 0n)
  const isPlain = used.every(
    ({ price, ours, theirs }) =>
      price !== null && theirs.quantity === ours.quantity && ours.amount === ours.quantity * price,
  )
  const factor = FACTORS.find((each) => used.every((of) => isAt(of, rests.price(of.class), each)))
  if (used.length === 0 || !isPlain || factor === undefined) return []
  return used.map(({ class: name, theirs }) => ({
    ...{ part: { class: name }, amount: rests.price(name), cause: 'tier' as const },
    facts: { class: name, ratio: factor, quantity: theirs.quantity ?? 0n },
  }))
}

function isAt({ price, theirs, tolerance }: ClassFigures, rest: bigint, millionths: bigint): boolean {
  const expected = ((theirs.quantity ?? 0n) * (price ?? 0n) * (millionths - MILLION)) / MILLION
  return size(rest - expected) <= tolerance && size(rest) > tolerance
}

interface Place {
  cell: Cell
  index: number
  figures: ClassFigures
  /** What is left of the price part. */
  rest: bigint
}

/** The price of a class is another one, by the same ratio in every cell from some time on. */
export const price: Step = ({ cells }, rests) => {
  const groups = new Map<string, Place[]>()
  for (const [index, cell] of cells.entries()) {
    for (const figures of cell.classes) {
      if ((figures.theirs.quantity ?? 0n) === 0n) continue
      const name = JSON.stringify([cell.provider, cell.model, figures.class])
      const place = { cell, index, figures, rest: rests.price(index, figures.class) }
      groups.set(name, [...(groups.get(name) ?? []), place])
    }
  }
  return [...groups.values()].flatMap((group) => changedPrice(group.toSorted((a, b) => a.cell.start - b.cell.start)))
}

const isVisible = ({ rest, figures }: Place) => size(rest) > figures.tolerance
const quantityOf = ({ figures }: Place) => figures.theirs.quantity ?? 0n

function changedPrice(group: readonly Place[]): Take[] {
  const first = group.findIndex(isVisible)
  const from = first < 0 ? [] : group.slice(first)
  const unknown = from.filter(({ figures }) => figures.price === null && figures.ours.quantity > 0n)
  if (unknown.length > 0) return unknown.map((place) => taken(place, unknown))
  if (from.length === 0 || !from.every(isVisible)) return []
  const isEqual = from.every(({ figures: { ours, theirs } }) => ours.quantity === theirs.quantity)
  if ((isEqual || from.length > 1) && haveOneRatio(from)) return from.map((place) => taken(place, from))
  // A price that changed within the first day.
  const [begun, ...later] = from
  if (begun === undefined || later.length === 0 || !haveOneRatio(later)) return []
  const since = changedAt(begun, later[0] ?? begun)
  return since === null ? [] : from.map((place) => taken(place, later, since))
}

/** Whether one change of the price per token explains the rests of all, within their tolerances. */
function haveOneRatio(places: readonly Place[]): boolean {
  return places.every((a) => places.every((b) => isSameChange(a, b)))
}

/** a.rest ÷ a.quantity and b.rest ÷ b.quantity overlap, each ± tolerance ÷ quantity. */
function isSameChange(a: Place, b: Place): boolean {
  const [qa, qb] = [quantityOf(a), quantityOf(b)]
  return size(a.rest * qb - b.rest * qa) <= a.figures.tolerance * qb + b.figures.tolerance * qa
}

/** The interval from which the later price explains the first day. */
function changedAt(begun: Place, later: Place): number | null {
  const name = begun.figures.class
  let tokens = 0n
  for (const { start, tokens: counts } of begun.cell.intervals.toSorted((a, b) => b.start - a.start)) {
    tokens += counts.get(name)?.theirs ?? 0n
    const part = { ...begun, figures: { ...begun.figures, theirs: { ...begun.figures.theirs, quantity: tokens } } }
    if (tokens > 0n && isSameChange(part, later)) return start
  }
  return null
}

function taken(place: Place, like: readonly Place[], since = like[0]?.cell.start ?? 0): Take {
  const known = like.at(-1) ?? place
  const [rest, quantity, list] = [known.rest, quantityOf(known), known.figures.price]
  const implied = (list ?? 0n) + (rest + (rest > 0n ? quantity : -quantity) / 2n) / quantity
  return {
    ...{ cell: place.index, part: { class: place.figures.class }, amount: place.rest, cause: 'price' },
    facts: {
      ...{ class: place.figures.class, price: implied, since, quantity: quantityOf(place) },
      ...(list === null || list === 0n ? {} : { ratio: (implied * MILLION) / list }),
    },
  }
}

/** What is left is no more than the source's rounding. */
export const rounding: Step = perCell((cell, rests) => {
  const parts = allParts(cell, rests).filter(({ part }) => !('charge' in part))
  const tolerance = cell.classes.reduce((sum, each) => sum + each.tolerance, 0n)
  const whole = parts.reduce((sum, { amount }) => sum + amount, 0n)
  const closed = size(whole) <= tolerance ? parts : parts.filter(({ part, amount }) => isRounded(cell, part, amount))
  return closed.map(({ part, amount }) => ({ part, amount, cause: 'rounding', facts: {} }))
})

function isRounded({ classes }: Cell, part: Take['part'], amount: bigint): boolean {
  const figures = 'class' in part ? classes.find(({ class: name }) => name === part.class) : undefined
  return figures !== undefined && size(amount) <= figures.tolerance
}
