import { type Budget, DEFAULT_FIT_AT_LEAST, type EachBudget, type Limits } from '../domain/limits.ts'
import type { Decision, Refusal } from './admission.ts'
import { type ChainHold, type FittedLimits, fittedLimits } from './chain-hold.ts'
import type { Payer } from './spend-ledger.ts'

/** What was requested of the ledger, and its decision. */
export interface Asked {
  hold: ChainHold
  decision: Decision
}

/** Concurrent calls may take the room that this one was fitted to; after this many attempts it is refused. */
const MOST_TIMES = 5

/** Whether a hard budget of this payer asks for calls to be fitted. */
export function mayFit({ key, workspace }: Payer): boolean {
  return adapts(key.limits, 'fit') || adapts(workspace.limits, 'fit')
}

export function mayStepDown({ key, workspace }: Payer): boolean {
  return adapts(key.limits, 'step_down') || adapts(workspace.limits, 'step_down')
}

function adapts(limits: Limits | null, way: 'fit' | 'step_down'): boolean {
  if (limits === null) return false
  const { budget, budgets } = limits
  return budget?.when_tight === way || (budgets !== undefined && areAdapting(budgets, way))
}

function areAdapting(budgets: readonly EachBudget[], way: 'fit' | 'step_down'): boolean {
  return budgets.some(({ when_tight: whenTight }) => whenTight === way)
}

/**
 * Retries with the largest output limits that fit into what the refusal says is left. Every attempt is decided exactly
 * like the first one, so the budget holds even if other calls come in between.
 */
export async function fitIn<A extends Asked>(first: A, ask: (fitted: FittedLimits) => A | Promise<A>): Promise<A> {
  let last = first
  let fitted: FittedLimits = new Map()
  for (let times = 0; times < MOST_TIMES && last.decision.kind === 'refused'; times++) {
    const more = fittedTo(last.decision.refusal, last.hold)
    if (more === null) break
    fitted = new Map([...fitted, ...more])
    last = await ask(fitted)
  }
  return last
}

/** The tightest of several budgets refuses, so what fits into it fits into all. */
export function fittedTo(refusal: Refusal, hold: ChainHold): FittedLimits | null {
  if (refusal.kind !== 'budget') return null
  const { limit, spent, held, budget } = refusal
  return budget?.when_tight === 'fit' ? fittedLimits(hold, limit - spent - held, floorOf(budget)) : null
}

export function floorOf({ fit_at_least: floor }: Pick<Budget, 'fit_at_least'>): number {
  return floor ?? DEFAULT_FIT_AT_LEAST
}
