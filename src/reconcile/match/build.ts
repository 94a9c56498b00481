import { extentOf, isTokenClass, type LineClass, type ReportLine } from '../line.ts'
import { dayIn, daySpan } from '../read/times.ts'
import {
  type Cell,
  type Charge,
  type ClassFigures,
  type Interval,
  type MissingRows,
  NO_UNCONFIRMED,
  type Unconfirmed,
} from './cell.ts'

/** Our rows of one provider and model in a bucket of time. */
export interface OurSum {
  provider: string
  model: string
  start: number
  requests: bigint
  tokens: ReadonlyMap<LineClass, bigint>
  amounts: ReadonlyMap<LineClass, bigint>
  /** List prices of one token; null: unknown. */
  prices: ReadonlyMap<LineClass, bigint> | null
  /** What tools cost that the provider ran. */
  fees: bigint
  unconfirmed: Unconfirmed
}

export interface OurMissing extends MissingRows {
  provider: string
  model: string
}

/** A line of a report, with the provider that it is about and the model that it bills. */
export interface TheirLine extends ReportLine {
  provider: string
  billingModel: string | null
  settleMs: number
}

export type Covered = Pick<TheirLine, 'provider' | 'start' | 'end' | 'zone' | 'settleMs'>

export interface Sides {
  ours: readonly OurSum[]
  missing: readonly OurMissing[]
  theirs: readonly TheirLine[]
  /** Providers whose key a report would have named, had it billed anything. */
  covered?: readonly Covered[]
}

interface Period {
  name: string
  start: number
  end: number
}

const LONGEST_DAY = 25 * 3_600_000

/** Of a line: the day in its zone, or its own period where that is longer. */
export function periodOf({ start, end, zone }: Pick<ReportLine, 'start' | 'end' | 'zone'>): Period {
  if (end - start > LONGEST_DAY) return { name: `${dayIn(start, zone)}/${dayIn(end - 1, zone)}`, start, end }
  const name = dayIn(start, zone)
  return { name, ...daySpan(name, zone) }
}

/** The cells of every period that a report covers; of a provider without a report there are none. */
export function buildCells({ ours, missing, theirs, covered = [] }: Sides): Cell[] {
  const placeOf = (line: Covered) => JSON.stringify([line.provider, periodOf(line)])
  const lines = Map.groupBy(theirs, placeOf)
  return [...Map.groupBy([...theirs, ...covered], placeOf)].flatMap(([place, about]) => {
    const [first] = about
    if (first === undefined) return []
    const period = periodOf(first)
    const within = ({ provider, start }: { provider: string; start: number }) =>
      provider === first.provider && start >= period.start && start < period.end
    const settlesAt = extentOf(about.map(({ start, end, settleMs }) => ({ start, end: end + settleMs }))).end
    return cellsOf(first.provider, period, settlesAt, {
      ours: ours.filter(within),
      missing: missing.filter(within),
      theirs: lines.get(place) ?? [],
    })
  })
}

function cellsOf(provider: string, period: Period, settlesAt: number, sides: Sides): Cell[] {
  const usage = sides.theirs.filter((line) => isTokenClass(line.class) && line.billingModel !== null)
  const others = sides.theirs.filter((line) => !isTokenClass(line.class) || line.billingModel === null)
  const base = { provider, period: period.name, start: period.start, end: period.end, settlesAt }
  const isCharged = usage.some(({ amount }) => amount !== null)
  const models = new Set([...sides.ours, ...sides.missing].map(({ model }) => model))
  for (const line of usage) models.add(line.billingModel ?? '')
  const cells = [...models].toSorted().map((model): Cell => {
    const own = sides.ours.filter((sum) => sum.model === model)
    const lines = usage.filter((line) => line.billingModel === model)
    const classes = classesOf(own, lines, isCharged)
    return {
      ...{ ...base, model, classes, intervals: intervalsOf(period, own, lines, classes), tiers: tiersOf(lines) },
      ...{ charges: [], missing: sides.missing.filter((each) => each.model === model) },
      ...{ has: { ours: own.length > 0, theirs: lines.length > 0 }, accounts: accountsOf(lines) },
    }
  })
  const charges = [...chargesOf(others), ...bookedTools(sides.ours)]
  if (charges.length === 0) return cells
  const has = { ours: false, theirs: true }
  const none = { model: null, classes: [], intervals: [], tiers: [], missing: [] }
  return [...cells, { ...base, ...none, charges, has, accounts: accountsOf(others) }]
}

const MOST_ACCOUNTS = 20

function accountsOf(lines: readonly TheirLine[]): string[] {
  return [...new Set(lines.flatMap(({ account }) => account ?? []))].toSorted().slice(0, MOST_ACCOUNTS)
}

/** Rows know the fees of a call as one sum. */
function bookedTools(ours: readonly OurSum[]): Charge[] {
  const fees = sum(ours, (each) => each.fees)
  return fees === 0n ? [] : [{ class: 'tool:booked', quantity: null, ours: fees, theirs: 0n }]
}

function sum<T>(items: readonly T[], value: (item: T) => bigint | null | undefined): bigint {
  return items.reduce((total, item) => total + (value(item) ?? 0n), 0n)
}

function classesOf(ours: readonly OurSum[], lines: readonly TheirLine[], isCharged: boolean): ClassFigures[] {
  const names = new Set([...ours.flatMap(({ tokens }) => [...tokens.keys()]), ...lines.map((line) => line.class)])
  const hasQuantities = lines.length === 0 || lines.some(({ quantity }) => quantity !== null)
  const prices = ours.findLast((each) => each.prices !== null)?.prices
  return [...names].toSorted().map((name): ClassFigures => {
    const own = {
      quantity: sum(ours, ({ tokens }) => tokens.get(name)),
      amount: sum(ours, ({ amounts }) => amounts.get(name)),
    }
    const priced = prices?.get(name) ?? null
    const theirs = lines.filter((line) => line.class === name)
    const quantity = hasQuantities ? quantityOf(theirs) : null
    const charged = sum(theirs, ({ amount }) => amount)
    // A report of usage alone names no money: its tokens count at our prices.
    const valued = own.amount + ((quantity ?? own.quantity) - own.quantity) * (priced ?? 0n)
    const tolerance = sum(theirs, (line) => line.tolerance)
    return {
      class: name,
      price: priced,
      ours: own,
      theirs: { quantity, amount: isCharged ? charged : valued },
      tolerance,
    }
  })
}

/** Usage reports count, cost reports repeat some of it: only one of them is added up. */
function counting(lines: readonly TheirLine[]): readonly TheirLine[] {
  const usage = lines.filter(({ amount }) => amount === null)
  return usage.length > 0 ? usage : lines
}

function quantityOf(lines: readonly TheirLine[]): bigint | null {
  const counted = counting(lines)
  return counted.some(({ quantity }) => quantity === null) ? null : sum(counted, ({ quantity }) => quantity)
}

function tiersOf(lines: readonly TheirLine[]) {
  const counted = Map.groupBy(lines, (line) => line.class).values()
  const named = [...counted].flatMap((each) => [...counting(each)]).filter(({ tier }) => tier !== null)
  return [...Map.groupBy(named, ({ tier, class: name }) => JSON.stringify([tier, name])).values()].flatMap((each) => {
    const [first] = each
    const theirs = sum(each, ({ quantity }) => quantity)
    return first === undefined ? [] : [{ tier: first.tier ?? '', class: first.class, theirs }]
  })
}

function chargesOf(lines: readonly TheirLine[]): Charge[] {
  // A token line without a model is money that cannot be compared.
  const nameOf = (line: TheirLine) => (isTokenClass(line.class) ? `other:${line.class} without a model` : line.class)
  return [...Map.groupBy(lines, nameOf)].toSorted().map(([name, each]) => ({
    ...{ class: name, ours: 0n, theirs: sum(each, ({ amount }) => amount) },
    quantity: quantityOf(each),
  }))
}

interface Building {
  start: number
  end: number
  tokens: Map<LineClass, { ours: bigint; theirs: bigint }>
  requests: { ours: bigint; theirs: bigint | null }
  unconfirmed: Unconfirmed
}

function intervalsOf(
  period: Period,
  ours: readonly OurSum[],
  lines: readonly TheirLine[],
  classes: readonly ClassFigures[],
): Interval[] {
  const counted = [...Map.groupBy(lines, (line) => line.class).values()].flatMap((each) => [...counting(each)])
  const width = counted.reduce((least, { start, end }) => Math.min(least, end - start), period.end - period.start)
  const known = new Set(classes.filter(({ theirs }) => theirs.quantity !== null).map((each) => each.class))
  const found = new Map<number, Building>()
  const at = (time: number): Building => {
    const start = period.start + Math.floor((time - period.start) / width) * width
    const before = found.get(start)
    const made = before ?? {
      ...{ start, end: Math.min(start + width, period.end), tokens: new Map(), requests: { ours: 0n, theirs: null } },
      unconfirmed: NO_UNCONFIRMED,
    }
    if (before === undefined) found.set(start, made)
    return made
  }
  const count = ({ tokens }: Building, name: LineClass, side: 'ours' | 'theirs', more: bigint) => {
    const before = tokens.get(name) ?? { ours: 0n, theirs: 0n }
    if (known.has(name)) tokens.set(name, { ...before, [side]: before[side] + more })
  }
  const hasRequests = counted.some(({ requests }) => requests !== null)
  for (const line of counted) {
    const each = at(line.start)
    count(each, line.class, 'theirs', line.quantity ?? 0n)
    if (line.requests !== null) each.requests.theirs = (each.requests.theirs ?? 0n) + line.requests
  }
  for (const own of ours) {
    const each = at(own.start)
    for (const [name, tokens] of own.tokens) count(each, name, 'ours', tokens)
    each.requests.ours += own.requests
    each.unconfirmed = added(each.unconfirmed, own.unconfirmed)
  }
  if (hasRequests) for (const each of found.values()) each.requests.theirs ??= 0n
  return [
    ...priced(
      [...found.values()].toSorted((a, b) => a.start - b.start),
      classes,
    ),
    ...moneyOnly(period, found, classes),
  ]
}

const MOST_IDS = 20

function added(a: Unconfirmed, b: Unconfirmed): Unconfirmed {
  return {
    ...{ calls: a.calls + b.calls, least: a.least + b.least, most: a.most + b.most },
    ids: [...a.ids, ...b.ids].slice(0, MOST_IDS),
  }
}

/** With the quantity part of each. Where we have no price, what they charge is shared by tokens, without a remainder. */
function priced(intervals: readonly Building[], classes: readonly ClassFigures[]): Interval[] {
  const isMoneyOnly = classes.length > 0 && classes.every(({ theirs }) => theirs.quantity === null)
  const before = new Map<LineClass, bigint>()
  return intervals.map((each) => {
    let difference = 0n
    for (const { class: name, price, ours, theirs } of classes) {
      const tokens = each.tokens.get(name)
      if (tokens === undefined || theirs.quantity === null) continue
      if (price !== null) difference += (tokens.theirs - tokens.ours) * price
      else if (ours.quantity === 0n && theirs.quantity > 0n) {
        const [from, to] = [before.get(name) ?? 0n, (before.get(name) ?? 0n) + tokens.theirs]
        difference += (theirs.amount * to) / theirs.quantity - (theirs.amount * from) / theirs.quantity
        before.set(name, to)
      }
    }
    return { ...each, difference: isMoneyOnly ? 0n : difference, isMoneyOnly: false }
  })
}

/** Classes of which they name money alone: one interval for the whole period. */
function moneyOnly(
  { start, end }: Period,
  found: ReadonlyMap<number, Building>,
  classes: readonly ClassFigures[],
): Interval[] {
  const uncounted = classes.filter(({ theirs }) => theirs.quantity === null)
  if (uncounted.length === 0) return []
  const isAll = uncounted.length === classes.length
  const unconfirmed = isAll
    ? [...found.values()].map((each) => each.unconfirmed).reduce(added, NO_UNCONFIRMED)
    : NO_UNCONFIRMED
  const difference = sum(uncounted, ({ ours, theirs }) => theirs.amount - ours.amount)
  const requests = { ours: 0n, theirs: null }
  return [{ start, end, tokens: new Map(), requests, unconfirmed, difference, isMoneyOnly: true }]
}
