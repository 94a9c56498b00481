import { PERIODS, type Period, periodBounds } from '../../domain/budgets/budget-period.ts'
import { type ValueScope, valueName } from '../../domain/budgets/each.ts'
import { asPicodollars, type Picodollars } from '../../domain/pricing/price.ts'
import type { BudgetState } from '../admission.ts'
import type { ValueBudget } from './value-budget.ts'

/** A call before it is admitted. Everything here may be sent to another thread. */
export interface EachCall {
  /** The request's id. */
  id: string
  budgets: readonly ValueBudget[]
  /** The most that it can cost; null: unknown. */
  money: bigint | null
}

/** How it ended. */
export interface EachEnd {
  id: string
  counters: readonly string[]
  /** Unix milliseconds: the cost belongs to the periods of this moment. */
  at: number
  /** What counts as spent. */
  cost: bigint
  /** What was held for it; 0 where nothing was. */
  held: bigint
  /** Of its end in this node's spool; 0: the log has none. */
  position: number
}

export type EachDecision =
  | { kind: 'held'; warnings: BudgetState[] }
  | { kind: 'refused'; state: BudgetState }
  /** The sums of a value cannot be read now. */
  | { kind: 'unavailable'; reason: string }

/**
 * What each value has spent and holds, for values whose budgets calls have to fit. A counter comes to be when a value
 * appears, with what the log says, and goes when it is idle: the log has it.
 */
export interface EachBook {
  /** All budgets hold, or none. */
  hold(call: EachCall): EachDecision | Promise<EachDecision>
  /** More for a running call. */
  holdMore(call: EachCall): boolean | Promise<boolean>
  end(end: EachEnd): void
  /** In the order of the given budgets. */
  look(budgets: readonly ValueBudget[]): Promise<BudgetState[]>
  stop(): Promise<void>
}

/** What the log says of one value. */
export interface LoggedValue {
  spent: Record<Period, bigint>
  /** Running calls that have a row. */
  open: { id: string; hold: bigint }[]
}

/** A call that has ended, as its row says; null cost: it is still open. */
export interface EndedCall {
  id: string
  at: number
  cost: bigint | null
}

/** What books need of the request log. */
export interface EachLog {
  /** Resolves when all that was logged here so far can be read. */
  caughtUp(): Promise<void>
  /**
   * With how far each node's spool has been read into it, beginnings of calls and ends: what a process that died has left
   * is known only then.
   */
  read(scopes: readonly ValueScope[], now: number): Promise<{ values: LoggedValue[]; positions: Map<string, number> }>
  /** Those that are known; with the same. */
  ended(ids: readonly string[]): Promise<{ calls: EndedCall[]; positions: Map<string, number> }>
}

export const UNREADABLE =
  'The request log cannot be read now, so the budget of a value that this call names is unknown. Retry shortly.'

export function stateOf(
  { owner, budget, scope, limit }: ValueBudget,
  spent: bigint,
  held: bigint,
  at: number,
): BudgetState {
  return {
    scope: owner,
    per: budget.per,
    limit,
    spent: asPicodollars(spent),
    held: asPicodollars(held),
    resetsAt: periodBounds(budget.per, at).resetsAt,
    budget,
    value: scope.kind === '' || scope.kind === 'key' ? null : valueName(scope),
    counter: scope,
  }
}

/** Whether a hard budget has room for so much; a soft one always has. */
export function hasRoom({ budget, limit }: ValueBudget, spent: bigint, held: bigint, money: bigint | null): boolean {
  if (budget.mode === 'soft' || money === 0n) return true
  return money !== null && spent + held + money <= limit
}

/** A soft budget that the call exceeds, or one of which the call takes the part from which it warns. */
export function warns({ budget, limit }: ValueBudget, spent: bigint, held: bigint, money: bigint | null): boolean {
  const used = spent + held + (money ?? 1n)
  if (budget.mode === 'soft' && used > limit) return true
  return budget.warn_at !== undefined && (spent + held) * 100n >= limit * BigInt(budget.warn_at)
}

/** Of several that have no room, the one with the least left. */
export function tightestOf(states: readonly BudgetState[]): BudgetState | undefined {
  const left = ({ limit, spent, held }: BudgetState): Picodollars => asPicodollars(limit - spent - held)
  return states.reduce<BudgetState | undefined>(
    (worst, state) => (worst === undefined || left(state) < left(worst) ? state : worst),
    undefined,
  )
}

export function nothingSpent(): Record<Period, bigint> {
  return Object.fromEntries(PERIODS.map((per) => [per, 0n])) as Record<Period, bigint>
}
