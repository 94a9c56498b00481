import { asPicodollars } from '../domain/pricing/price.ts'
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

export function holdOfTerms(terms: EntryTerms[]): ChainHold {
  const money = terms.map((each) => moneyOf(each.terms))
  const tokens = terms.map((each) => tokensOf(each.terms))
  return { picodollars: largest(money, asPicodollars(0n)), tokens: largest(tokens, 0), terms }
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
