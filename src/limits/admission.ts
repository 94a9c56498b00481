import { type Period, periodBounds } from '../domain/budgets/budget-period.ts'
import type { ValueScope } from '../domain/budgets/each.ts'
import type { Budget, EachBudget, Limits } from '../domain/limits.ts'
import { asPicodollars, type Picodollars, picodollarsOfUsd } from '../domain/pricing/price.ts'
import { type Amount, amountOf } from './amount.ts'
import type { CallHold, Scope, ScopeStatus } from './ledger.ts'

export interface BudgetState {
  /** Whose limits have the budget. */
  scope: Scope
  per: Period
  limit: Picodollars
  spent: Picodollars
  held: Picodollars
  /** Null: never. */
  resetsAt: number | null
  budget?: Budget | EachBudget
  /** Of a budget for each value of something: "session 7f3a". */
  value?: string | null
  counter?: ValueScope
}

export type Refusal =
  | ({ kind: 'budget' } & BudgetState)
  | {
      kind: 'rpm' | 'tpm' | 'max_parallel'
      scope: Scope
      limit: number
      used: number
      /** What the call would add; null: unknown. */
      needed: number | null
      /** Milliseconds until it could be admitted; null: never in this form. */
      waitMs: number | null
    }

export interface HeldCall {
  /** The request's id. */
  readonly id: string
  /** Unix milliseconds. The cost belongs to the periods of this moment. */
  readonly admittedAt: number
  readonly hold: CallHold
  /** The limits could not be checked, and the policy allowed the call. */
  readonly unchecked: boolean
  /** Position of the open row in this node's spool; null until it is written. */
  position: number | null
  settled: boolean
  /** What of its earlier attempts counts although no provider confirmed it, and what was held for that besides. */
  unconfirmed: bigint
  added: bigint
}

export type Decision =
  | { kind: 'admitted'; call: HeldCall; warnings: BudgetState[] }
  | { kind: 'refused'; refusal: Refusal }
  /** The limits cannot be checked now. */
  | { kind: 'unavailable'; reason: string }

/** How a ledger judged a call by the limits of one scope: which do not allow it, and what was used before it. */
export interface Verdict {
  scope: Scope
  limits: Limits
  /** In the period of the budget. */
  spent: Picodollars
  held: Picodollars
  requests: number
  tokens: number
  inFlight: number
  /** A soft budget only warns. */
  isOverBudget: boolean
  /** What was used before it has reached the part from which the budget warns. */
  isNear: boolean
  /** Null: it fits. */
  overRpm: Wait | null
  overTpm: Wait | null
  isOverParallel: boolean
}

interface Wait {
  /** Milliseconds until the call fits; null: never in this form. */
  waitMs: number | null
}

/** Of a call that at least one limit does not allow. */
export function refusalOf(verdicts: readonly Verdict[], hold: CallHold, at: number): Refusal {
  const refusals: Refusal[] = []
  for (const verdict of verdicts) {
    const { scope, limits, overRpm, overTpm } = verdict
    const { budget, rpm = 0, tpm = 0, max_parallel: parallel = 0 } = limits
    if (verdict.isOverBudget && budget !== undefined && budget.mode !== 'soft') {
      refusals.push({ kind: 'budget', ...judgedBudget(verdict, budget, at) })
    }
    if (overRpm !== null) {
      refusals.push({ kind: 'rpm', scope, limit: rpm, used: verdict.requests, needed: 1, waitMs: overRpm.waitMs })
    }
    if (overTpm !== null) {
      const needed = hold.tokens
      refusals.push({ kind: 'tpm', scope, limit: tpm, used: verdict.tokens, needed, waitMs: overTpm.waitMs })
    }
    if (verdict.isOverParallel) {
      refusals.push({ kind: 'max_parallel', scope, limit: parallel, used: verdict.inFlight, needed: 1, waitMs: 0 })
    }
  }
  return tightest(refusals)
}

/** The soft budgets that a call exceeds, and those that warn before they are used up. */
export function warningsOf(verdicts: readonly Verdict[], at: number): BudgetState[] {
  return verdicts.flatMap((verdict) => {
    const { budget } = verdict.limits
    const warns = verdict.isNear || (verdict.isOverBudget && budget?.mode === 'soft')
    return warns && budget !== undefined ? [judgedBudget(verdict, budget, at)] : []
  })
}

function judgedBudget({ scope, spent, held }: Verdict, budget: Budget, at: number): BudgetState {
  const { per } = budget
  return { scope, per, ...sumsOf(budget, spent), held, resetsAt: periodBounds(per, at).resetsAt, budget }
}

/**
 * Which refusal is reported: a budget before a rate, because waiting does not help; then the one with the least left or
 * the longest wait; on a tie the key's own.
 */
export function tightest(refusals: readonly Refusal[]): Refusal {
  return refusals.reduce((worst, other) => (isTighter(other, worst) ? other : worst))
}

function isTighter(a: Refusal, b: Refusal): boolean {
  if (a.kind === 'budget') return b.kind !== 'budget' || a.limit - a.spent - a.held < b.limit - b.spent - b.held
  if (b.kind === 'budget') return false
  return (a.waitMs ?? Number.POSITIVE_INFINITY) > (b.waitMs ?? Number.POSITIVE_INFINITY)
}

/** The state of a scope's budget; null when it has none. */
export function budgetState({ scope, periods }: ScopeStatus, { budget }: Limits): BudgetState | null {
  if (budget === undefined) return null
  const { spent, held, resetsAt } = periods[budget.per]
  return { scope, per: budget.per, ...sumsOf(budget, spent), held, resetsAt, budget }
}

const limitsInPicodollars = new WeakMap<Budget, Picodollars>()

/**
 * What calls may spend: the budget without what was spent before the scope moved in, and with what was corrected. Limits
 * are immutable values of the snapshot, so their amounts are parsed once.
 */
export function limitOf(budget: Budget): Picodollars {
  let limit = limitsInPicodollars.get(budget)
  if (limit === undefined) {
    const left = raisedLimitOf(budget) - shiftOf(budget)
    limit = asPicodollars(left < 0n ? 0n : left)
    limitsInPicodollars.set(budget, limit)
  }
  return limit
}

function raisedLimitOf({ usd, raised }: Budget): bigint {
  return raised === undefined ? picodollarsOfUsd(usd) : picodollarsOfUsd(usd) + picodollarsOfUsd(raised)
}

/** From where on the budget warns, by what calls may spend; null: it does not. */
export function warnFromOf(budget: Budget): Amount | null {
  return budget.warn_at === undefined ? null : amountOf((limitOf(budget) * BigInt(budget.warn_at)) / 100n)
}

export function isNear({ budget }: Limits, used: bigint, limit: bigint): boolean {
  return budget?.warn_at !== undefined && used * 100n >= limit * BigInt(budget.warn_at)
}

export function openingOf({ opening }: Budget): Picodollars {
  return picodollarsOfUsd(opening ?? '0')
}

/** What counts besides the calls of the ledger; negative where more was released. */
export function shiftOf(budget: Budget): bigint {
  return openingOf(budget) + BigInt(budget.charged ?? '0') - BigInt(budget.released ?? '0')
}

/** As people read them: the whole budget, and all that counts of it. */
export function sumsOf(budget: Budget, spent: Picodollars): { limit: Picodollars; spent: Picodollars } {
  const sum = spent + shiftOf(budget)
  return { limit: asPicodollars(raisedLimitOf(budget)), spent: asPicodollars(sum < 0n ? 0n : sum) }
}

/** A call of unknown price fits no hard budget; a soft budget warns about it once it is used up. */
export function fits({ limit, spent, held }: BudgetState, hold: Picodollars | null, { budget }: Limits): boolean {
  const isSoft = budget?.mode === 'soft'
  if (hold === null) return isSoft && spent + held < limit
  // What takes nothing exceeds nothing, even after a limit was lowered below what is used. So say all ledgers.
  if (hold === 0n && !isSoft) return true
  return spent + held + hold <= limit
}

/** A soft budget that the call exceeds, or one whose part from which it warns is used. */
export function warns(state: BudgetState, hold: Picodollars | null, limits: Limits): boolean {
  if (limits.budget?.mode === 'soft' && !fits(state, hold, limits)) return true
  return isNear(limits, state.spent + state.held, state.limit)
}
