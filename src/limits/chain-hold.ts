import { asPicodollars, type Picodollars } from '../domain/pricing/price.ts'
import type { ChainEntry } from '../domain/route.ts'
import { type HoldTerms, maxTokensWithin, moneyOf, tokensOf } from './hold.ts'
import type { CallHold } from './ledger.ts'

/** The most that a call can use at any entry of its chain. */
export interface ChainHold extends CallHold {
  terms: EntryTerms[]
}

export interface EntryTerms {
  entry: ChainEntry
  position: number
  terms: HoldTerms
}

/** By position: the largest output limit with which an entry fits into what is left of a hard budget. */
export type FittedLimits = ReadonlyMap<number, number>

/** `isHedged`: two entries may be asked at once, and both are paid. */
export function holdOfTerms(terms: EntryTerms[], isHedged = false, isStream = false): ChainHold {
  const money = terms.map((each) => moneyOf(each.terms))
  const tokens = terms.map((each) => tokensOf(each.terms))
  if (!isHedged) return { picodollars: largest(money, asPicodollars(0n)), tokens: largest(tokens, 0), terms, isStream }
  const pairs = pairsOf(terms)
  const moneyOfPair = ([a, b]: Pair) => sumOf(money[a] ?? null, money[b] ?? null)
  const tokensOfPair = ([a, b]: Pair) => sumOf(tokens[a] ?? null, tokens[b] ?? null)
  return {
    picodollars: largest([...money, ...pairs.map(moneyOfPair)], asPicodollars(0n)) as Picodollars | null,
    tokens: largest([...tokens, ...pairs.map(tokensOfPair)], 0),
    terms,
    isStream,
  }
}

type Pair = readonly [number, number]

/** An entry that is hedged may run beside any other: which ones are well is known when it is late. */
function pairsOf(terms: readonly EntryTerms[]): Pair[] {
  return terms.flatMap(({ entry }, place) =>
    entry.hedgeAfterMs === null ? [] : terms.flatMap((_, other): Pair[] => (other === place ? [] : [[place, other]])),
  )
}

function sumOf<T extends number | bigint>(a: T | null, b: T | null): T | null {
  return a === null || b === null ? null : (((a as bigint) + (b as bigint)) as T)
}

/** The largest `max_tokens` with which the call costs at most this amount at every entry; null when there is none. */
export function maxTokensThatFit({ terms }: ChainHold, money: bigint): number | null {
  let most: number | null = null
  for (const each of terms) {
    const fitting = maxTokensWithin(each.terms, money)
    if (fitting === null) return null
    if (most === null || fitting < most) most = fitting
  }
  return most
}

/** Fewer calls of tools with which the call fits into this amount at every entry; null: none, or it has no tools. */
export function toolCallsThatFit({ terms }: ChainHold, money: bigint): number | null {
  const calls = Math.max(0, ...terms.map((each) => each.terms.tools?.calls ?? 0))
  for (let fewer = Math.min(calls, MOST_TRIED) - 1; fewer >= 0; fewer--) {
    const fits = ({ terms: each }: EntryTerms) => {
      const most = moneyOf(each.tools !== undefined && each.tools.calls > fewer ? each.tools.with(fewer) : each)
      return most !== null && most <= money
    }
    if (terms.every(fits)) return fewer
  }
  return null
}

/** A caller may name any number. */
const MOST_TRIED = 100

/**
 * For each entry that could cost more, the largest output limit that keeps it within the amount; null when one would be
 * below the floor or the cost of an entry is unknown.
 */
export function fittedLimits({ terms }: ChainHold, money: bigint, floor: number): FittedLimits | null {
  const fitted = new Map<number, number>()
  for (const { position, terms: each } of terms) {
    const most = moneyOf(each)
    if (most === null) return null
    if (most <= money) continue
    const tokens = maxTokensWithin(each, money)
    if (tokens === null || tokens < floor) return null
    fitted.set(position, tokens)
  }
  return fitted
}

/** One unknown value makes the whole unknown; a chain that cannot serve uses nothing. */
function largest<T extends number | bigint>(values: readonly (T | null)[], nothing: T): T | null {
  let most = nothing
  for (const value of values) {
    if (value === null) return null
    if (value > most) most = value
  }
  return most
}
