import { signedUsd } from '../domain/pricing/price.ts'
import type { Cell } from './match/cell.ts'
import type { Cause, Take } from './steps/step.ts'

export interface CellTake extends Take {
  of: Cell
}

/** One sentence about everything that a cause explains; what to do where something can be done. */
const SENTENCES: Readonly<Record<Cause, (takes: readonly CellTake[]) => string>> = {
  missing_rows: (takes) =>
    `${count(takes, 'requests', 'row')} missing from the request log, between ${span(takes)}: the hourly sums have them. Run switchyard verify.`,
  not_settled: (takes) =>
    `Too early: the report can still change until ${minute(Math.max(...takes.map(({ facts }) => facts.since ?? 0)))}.`,
  charges: (takes) => `Lines that are not usage: ${names(takes, ({ facts }) => facts.class?.replace('other:', ''))}.`,
  midnight: () => 'Calls that ran over midnight: booked here when they began, by the provider when they ended.',
  class: (takes) =>
    `As many tokens, in other classes: the provider counts more ${names(takes, ({ facts }) => facts.class)}.`,
  tier: (takes) =>
    `Charged at another tier than booked: ${names(takes, ({ facts }) => facts.tier ?? ratio(facts.ratio))}, ${tokens(takes)} tokens.`,
  price: (takes) => `Another price: ${names(takes, priceChange)}. Change the price list if this is right.`,
  tools: (takes) =>
    `Tools that the provider ran: ${names(takes, ({ facts }) => `${facts.quantity ?? ''} ${facts.class?.slice(5)}`.trim())}.`,
  mapping: (takes) =>
    `Names that only one side uses: ${names(takes, ({ of, facts }) => `${of.model} and ${facts.model}`)}. Map them if they are the same model.`,
  unconfirmed: (takes) => `${count(takes, 'requests', 'call')} that ended without an answer and may have been billed.`,
  unconfirmed_or_foreign: (takes) =>
    `${count(takes, 'requests', 'call')} without an answer (${range(takes)} USD) and calls of another program on the key; the report is too coarse to tell them apart.`,
  foreign: (takes) =>
    `More than this gateway sent: another program uses the key${requestsOf(takes)}, between ${span(takes)}.`,
  not_billed: (takes) =>
    `Booked here, but not in the report, between ${span(takes)}: a free tier, a refund or another key.`,
  rounding: () => "No more than the rounding of the report's lines.",
}

export function sentenceOf(cause: Cause, takes: readonly CellTake[]): string {
  return SENTENCES[cause](takes)
}

/** Each fact once, at most five. */
function names(takes: readonly CellTake[], name: (take: CellTake) => string | undefined): string {
  const all = [...new Set(takes.flatMap((take) => name(take) ?? []))]
  return [...all.slice(0, 5), ...(all.length > 5 ? [`${all.length - 5} more`] : [])].join(', ')
}

function total(takes: readonly CellTake[], fact: 'requests' | 'quantity'): bigint {
  return takes.reduce((sum, { facts }) => sum + (facts[fact] ?? 0n), 0n)
}

function count(takes: readonly CellTake[], fact: 'requests', noun: string): string {
  const found = total(takes, fact)
  return `${found} ${noun}${found === 1n ? '' : 's'}`
}

const tokens = (takes: readonly CellTake[]) => total(takes, 'quantity')

function requestsOf(takes: readonly CellTake[]): string {
  const found = total(takes, 'requests')
  return found === 0n ? '' : ` (${found} requests)`
}

function range(takes: readonly CellTake[]): string {
  const [least, most] = (['least', 'most'] as const).map((bound) =>
    takes.reduce((sum, { facts }) => sum + (facts[bound] ?? 0n), 0n),
  )
  return `${signedUsd(least ?? 0n)} to ${signedUsd(most ?? 0n)}`
}

function span(takes: readonly CellTake[]): string {
  const starts = takes.map(({ facts, of }) => facts.start ?? of.start)
  const ends = takes.map(({ facts, of }) => facts.end ?? of.end)
  return `${minute(Math.min(...starts))} and ${minute(Math.max(...ends))}`
}

/** `2026-11-17 09:30Z` */
function minute(time: number): string {
  return `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')}Z`
}

/** `+1 %`, from millionths. */
function ratio(millionths: bigint | undefined): string {
  const percent = Number((millionths ?? 1_000_000n) - 1_000_000n) / 10_000
  return `${percent > 0 ? '+' : ''}${percent} %`
}

function priceChange({ of, facts }: CellTake): string {
  const change = facts.ratio === undefined ? 'no price here' : ratio(facts.ratio)
  const perMtok = signedUsd((facts.price ?? 0n) * 1_000_000n)
  return `${of.model} ${facts.class} ${change}, ${perMtok} USD per million tokens from ${minute(facts.since ?? of.start)}`
}
