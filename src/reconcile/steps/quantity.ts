import { PROMPT_CLASSES } from '../../domain/pricing/classes.ts'
import type { Cell, Interval, Problem } from '../match/cell.ts'
import { least, perCell, type Rests, type Step, type Take } from './step.ts'

/** Our hourly sums have requests that the log has not: in totals they would look like foreign calls. */
export const missingRows: Step = perCell((cell, rests) =>
  cell.missing.flatMap(({ start, end, requests, amount }) => {
    const takes: Omit<Take, 'cell'>[] = []
    const inside = cell.intervals
      .map((each, interval) => ({ each, interval, rest: rests.interval(interval) }))
      .filter(({ each, rest }) => rest > 0n && each.start < end && each.end > start)
    const exact = inside.find(({ rest }) => rest === amount)
    let left = amount
    for (const { interval, rest } of exact === undefined ? inside : [exact]) {
      const taken = least(rest, left)
      if (taken <= 0n) continue
      left -= taken
      takes.push({ part: { interval }, amount: taken, cause: 'missing_rows', facts: { requests, start, end } })
    }
    return takes
  }),
)

/** We book a call when it starts, a provider when it ends; where one is short and the next is over, calls between explain it. */
export const midnight: Step = ({ cells, crossings }, rests) => {
  const places = Map.groupBy(
    cells.flatMap((each, cell) => each.intervals.map((interval, index) => ({ each, cell, interval, index }))),
    ({ each }) => JSON.stringify([each.provider, each.model]),
  )
  const rest = new Map<Interval, bigint>()
  for (const { cell, interval, index } of [...places.values()].flat()) rest.set(interval, rests.interval(cell, index))
  return crossings.flatMap(({ provider, model, startedAt, finishedAt, amount }): Take[] => {
    const own = places.get(JSON.stringify([provider, model])) ?? []
    const at = (time: number) => own.find(({ interval }) => interval.start <= time && time < interval.end)
    const [from, to] = [at(startedAt), at(finishedAt)]
    if (from === undefined || to === undefined || from.interval === to.interval) return []
    const [short, over] = [rest.get(from.interval) ?? 0n, rest.get(to.interval) ?? 0n]
    if (short >= 0n || over <= 0n) return []
    const moved = least(-short, over, amount)
    rest.set(from.interval, short + moved)
    rest.set(to.interval, over - moved)
    const take = (place: typeof from, taken: bigint): Take => ({
      ...{ cell: place.cell, part: { interval: place.index }, amount: taken },
      ...{ cause: 'midnight', facts: { since: to.interval.start } },
    })
    return [take(from, -moved), take(to, moved)]
  })
}

const PROMPT: ReadonlySet<string> = new Set(PROMPT_CLASSES.map(({ price }) => price.replace('_per_mtok', '')))

/** As many tokens on both sides, but in other classes. */
export const otherClass: Step = perCell((cell, rests) => {
  const prices = new Map(cell.classes.map(({ class: name, price }) => [name, price]))
  return cell.intervals.flatMap((each, interval) => {
    if (each.isMoneyOnly || rests.interval(interval) === 0n) return []
    return [true, false].flatMap((isPrompt) => {
      const moved = [...each.tokens]
        .filter(([name]) => PROMPT.has(name) === isPrompt)
        .map(([name, { ours, theirs }]) => ({ name, more: theirs - ours, price: prices.get(name) ?? null }))
        .filter(({ more }) => more !== 0n)
      const isSame = moved.reduce((sum, { more }) => sum + more, 0n) === 0n
      if (moved.length === 0 || !isSame || moved.some(({ price }) => price === null)) return []
      const amount = moved.reduce((sum, { more, price }) => sum + more * (price ?? 0n), 0n)
      const most = moved.reduce((a, b) => (b.more > a.more ? b : a))
      const facts = { class: most.name, quantity: most.more }
      return [{ part: { interval }, amount, cause: 'class' as const, facts }]
    })
  })
})

/** How many more requests they report than we have, with every call of ours that may be among them; null: not reported. */
function excessRequests(cell: Cell, { requests, unconfirmed, start, end }: Interval): bigint | null {
  if (requests.theirs === null) return null
  const missing = cell.missing.filter((each) => each.start < end && each.end > start)
  return missing.reduce((left, each) => left - each.requests, requests.theirs - requests.ours - unconfirmed.calls)
}

/** Of no class fewer than ours: where one has more and another fewer, two causes may be mixed. */
function hasMoreTokens({ tokens, isMoneyOnly }: Interval): boolean {
  const counts = [...tokens.values()]
  return !isMoneyOnly && counts.some(isMore) && !counts.some(isFewer)
}

type Counts = { ours: bigint; theirs: bigint }
const isMore = ({ ours, theirs }: Counts) => theirs > ours
const isFewer = ({ ours, theirs }: Counts) => theirs < ours

/** Calls whose end we did not see explain what lies within their bounds. */
export const unconfirmed: Step = perCell((cell, rests) =>
  cell.intervals.flatMap((each, interval): Omit<Take, 'cell'>[] => {
    const rest = rests.interval(interval)
    const { calls, least: lowest, most, ids } = each.unconfirmed
    if (calls === 0n || rest <= 0n || rest < lowest || [...each.tokens.values()].some(isFewer)) return []
    const excess = excessRequests(cell, each)
    const isMixed = excess === null ? hasMoreTokens(each) && rest > most : excess > 0n
    const facts = { requests: calls, ids, start: each.start, end: each.end }
    if (isMixed) {
      const range = { least: lowest, most: least(most, rest) }
      return [{ part: { interval }, amount: rest, cause: 'unconfirmed_or_foreign', facts: { ...facts, ...range } }]
    }
    return [{ part: { interval }, amount: least(rest, most), cause: 'unconfirmed', facts }]
  }),
)

/** More requests or tokens than ours, and our books are in order: another program uses the key. */
export const foreign: Step = perCell((cell, rests) =>
  cell.intervals.flatMap((each, interval) => {
    const rest = rests.interval(interval)
    const excess = excessRequests(cell, each)
    if (rest <= 0n || !hasMoreTokens(each) || (excess !== null && excess <= 0n)) return []
    const facts = { start: each.start, end: each.end, ...(excess === null ? {} : { requests: excess }) }
    return [{ part: { interval }, amount: rest, cause: 'foreign', facts }]
  }),
)

/** Tokens of ours that they do not report: a free tier, a refund, another key. */
export const notBilled: Step = perCell((cell, rests) =>
  cell.intervals.flatMap((each, interval) => {
    const rest = rests.interval(interval)
    const counts = [...each.tokens.values()]
    if (rest >= 0n || each.isMoneyOnly || counts.some(isMore) || !counts.some(isFewer)) return []
    return [{ part: { interval }, amount: rest, cause: 'not_billed', facts: { start: each.start, end: each.end } }]
  }),
)

/** Without the dates and versions that providers add to names. */
export function bareName(model: string): string {
  return model.replace(/(?:[-@]\d{4}-?\d{2}-?\d{2})?(?:-v\d+(?::\d+)?)?$/, '')
}

/** One model that only we have and one that only they have, of the same tokens or almost the same name. */
export const mapping: Step = ({ cells }, rests) => {
  const found: Take[] = []
  for (const { ours, theirs } of unmatchedPairs({ cells })) {
    for (const [cell, model] of [
      [ours, cells[theirs]?.model ?? ''],
      [theirs, cells[ours]?.model ?? ''],
    ] as const) {
      found.push(...restsOf(cells[cell], cell, rests).map((take) => ({ ...take, facts: { model } })))
    }
  }
  return found
}

function restsOf(cell: Cell | undefined, index: number, rests: Rests): Omit<Take, 'facts'>[] {
  if (cell === undefined) return []
  const base = { cell: index, cause: 'mapping' as const }
  return [
    ...cell.intervals.map((_, interval) => ({ ...base, part: { interval }, amount: rests.interval(index, interval) })),
    ...cell.classes.map((each) => ({ ...base, part: { class: each.class }, amount: rests.price(index, each.class) })),
  ].filter(({ amount }) => amount !== 0n)
}

/** Places of cells in the list. */
export function unmatchedPairs({ cells }: Pick<Problem, 'cells'>): { ours: number; theirs: number }[] {
  const named = cells.map((cell, index) => ({ cell, index })).filter(({ cell }) => cell.model !== null)
  const free = new Set(named.filter(({ cell }) => !cell.has.theirs).map(({ index }) => index))
  return named
    .filter(({ cell }) => !cell.has.ours)
    .flatMap(({ cell: theirs, index }) => {
      const near = named.filter(
        ({ cell, index: place }) =>
          free.has(place) && cell.provider === theirs.provider && cell.period === theirs.period,
      )
      const pair =
        near.find(({ cell }) => bareName(cell.model ?? '') === bareName(theirs.model ?? '')) ??
        near.find(({ cell }) => hasSameTokens(cell, theirs))
      if (pair === undefined) return []
      free.delete(pair.index)
      return [{ ours: pair.index, theirs: index }]
    })
}

function hasSameTokens(ours: Cell, theirs: Cell): boolean {
  const counts = new Map(ours.classes.map((each) => [each.class, each.ours.quantity]))
  const others = theirs.classes.filter(({ theirs: { quantity } }) => quantity !== 0n)
  const own = [...counts].filter(([, quantity]) => quantity !== 0n)
  return (
    own.length > 0 &&
    own.length === others.length &&
    others.every((each) => counts.get(each.class) === each.theirs.quantity)
  )
}
