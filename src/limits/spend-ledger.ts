import type { Attribution } from '../domain/attribution.ts'
import type { Limits } from '../domain/limits.ts'
import type { Picodollars } from '../domain/pricing/price.ts'
import type { BudgetState, Decision, HeldCall } from './admission.ts'
import type { ValueBudget } from './each/value-budget.ts'
import type { CallHold, CallUse, NodeLease, Scope, ScopeStatus } from './ledger.ts'

/** A key and its workspace, with their current limits. */
export interface Payer {
  key: { id: string; limits: Limits | null }
  workspace: { name: string; limits: Limits | null }
  /** What the call names, where one of them has budgets for that. */
  names?: Attribution | undefined
}

/**
 * What every key and workspace has used and holds, limited or not, so that a limit set later takes effect at once. It
 * is rebuilt from the request log. Only an admission may take a promise, where what is leased of shared counters does not
 * suffice: callers await only where they get one.
 */
export interface SpendLedger {
  /** Other gateways change it as well, and their rows reach the log a little later than their changes. */
  readonly isShared: boolean
  /** `id` is the request's. */
  admit(payer: Payer, hold: CallHold, id: string): Decision | Promise<Decision>
  /** Its row is open at this position in this node's spool; called before anything is sent. */
  opened(call: HeldCall, position: number): void
  /** Holds more for a running call, where its budgets allow it. */
  extend(call: HeldCall, more: Picodollars): boolean | Promise<boolean>
  /**
   * How the call ended; only the first call counts. False: it had ended before.
   * `position` is that of its end in this node's spool; without it the log has none.
   */
  settle(call: HeldCall, use: CallUse, position?: number): boolean
  /** The call was not made. */
  release(call: HeldCall): boolean
  /** The budgets of what this payer names, as they are now; missing where there are none. */
  values?(payer: Payer): Promise<BudgetState[]>
  /** How these stand, in their order; they may be of many values. Missing where none are counted. */
  lookAt?(budgets: readonly ValueBudget[]): Promise<BudgetState[]>
  allowance(payer: Payer): { requests: RateAllowance | null; tokens: RateAllowance | null }
  /** In the order of the given scopes. */
  status(scopes: readonly Scope[]): Promise<ScopeStatus[]>
  /** Every scope that was ever used. */
  scopes(): Promise<Scope[]>
  /** What each gateway has leased, where several share counters. */
  leases(): Promise<NodeLease[]>
  /** Unix milliseconds; never goes back. */
  now(): number
}

/** What a caller may still use in this minute; the tighter of several scopes. */
export interface RateAllowance {
  limit: number
  remaining: number
  /** Milliseconds until all of it is available again. */
  resetMs: number
}

/** On a tie the first, which is the key's own. */
export function tighter(first: RateAllowance | null, second: RateAllowance | null): RateAllowance | null {
  if (first === null || second === null) return first ?? second
  return first.remaining <= second.remaining ? first : second
}
