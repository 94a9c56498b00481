import { type Budget, DEFAULT_FIT_AT_LEAST } from '../domain/limits.ts'
import type { Decision, Refusal } from './admission.ts'
import { type ChainHold, type FittedLimits, fittedLimits } from './chain-hold.ts'
import type { Payer } from './spend-ledger.ts'

/** What was asked of the ledger, and what it said. */
export interface Asked {
  hold: ChainHold
  decision: Decision
}

/** Calls that run beside this one may take the room that it was fitted to; after so many times it is refused. */
const MOST_TIMES = 5

/** One of the hard budgets that bind this payer wants calls fitted. */
export function mayFit({ key, workspace }: Payer): boolean {
  return key.limits?.budget?.when_tight === 'fit' || workspace.limits?.budget?.when_tight === 'fit'
}

/**
 * Asks again, with the largest output limits that fit into what the refusal says is left. Every question is decided as
 * exactly as the first one, so a budget holds whatever happens between two of them.
 */
export async function fitIn<A extends Asked>(
  first: A,
  payer: Payer,
  ask: (fitted: FittedLimits) => A | Promise<A>,
): Promise<A> {
  let last = first
  let fitted: FittedLimits = new Map()
  for (let times = 0; times < MOST_TIMES && last.decision.kind === 'refused'; times++) {
    const more = fittedTo(last.decision.refusal, last.hold, payer)
    if (more === null) break
    fitted = new Map([...fitted, ...more])
    last = await ask(fitted)
  }
  return last
}

/** Of several budgets the tightest refuses, so what fits into that one fits into all. */
export function fittedTo(refusal: Refusal, hold: ChainHold, payer: Payer): FittedLimits | null {
  if (refusal.kind !== 'budget') return null
  const budget = payer[refusal.scope.kind].limits?.budget
  const { limit, spent, held } = refusal
  return budget?.when_tight === 'fit' ? fittedLimits(hold, limit - spent - held, floorOf(budget)) : null
}

export function floorOf({ fit_at_least: floor }: Budget): number {
  return floor ?? DEFAULT_FIT_AT_LEAST
}
