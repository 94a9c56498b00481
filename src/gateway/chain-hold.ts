import { type HoldTerms, holdTerms, maxTokensWithin, moneyOf, promptTokensBound, tokensOf } from '../domain/hold.ts'
import type { CallHold } from '../domain/ledger.ts'
import { asPicodollars } from '../domain/price.ts'
import type { ChainEntry } from '../domain/route.ts'
import { assess, type Candidate, type ChainDeps, type FittedLimits, type Situation } from './candidate.ts'

/** The most that a call can use, wherever along its chain it is served. */
export interface ChainHold extends CallHold {
  terms: { entry: ChainEntry; position: number; terms: HoldTerms }[]
}

/** Over every entry that can serve the request: a circuit that is open now may be closed when its turn comes. */
export function chainHold(
  situation: Situation,
  deps: ChainDeps,
  prompt = promptTokensBound(situation.request, situation.bytes),
): ChainHold {
  const terms: ChainHold['terms'] = []
  for (const [position, entry] of situation.chain.entries()) {
    const fitness = assess(entry, position, situation, deps)
    if (fitness.kind === 'usable') terms.push({ entry, position, terms: termsAt(fitness.candidate, situation, prompt) })
  }
  return {
    picodollars: largest(
      terms.map((each) => moneyOf(each.terms)),
      asPicodollars(0n),
    ),
    tokens: largest(
      terms.map((each) => tokensOf(each.terms)),
      0,
    ),
    terms,
  }
}

export function termsAt(
  { entry, wire, traits, heldPercent }: Candidate,
  { request, snapshot, bytes }: Situation,
  prompt = promptTokensBound(request, bytes),
): HoldTerms {
  const price = snapshot.registry.get(entry.provider)?.get(entry.model)?.price
  return holdTerms({ request, wire, price, ...traits, pricePercent: heldPercent }, prompt)
}

/** The largest `max_tokens` with which the call would fit into this much money at every entry; null when none would. */
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
 * For each entry that could cost more the largest output limit with which it cannot; null when one would be below the
 * floor, or nobody knows what an entry could cost.
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

/** One that nobody knows makes the whole unknown; where no entry can serve, nothing is used. */
function largest<T extends number | bigint>(values: readonly (T | null)[], nothing: T): T | null {
  let most = nothing
  for (const value of values) {
    if (value === null) return null
    if (value > most) most = value
  }
  return most
}
