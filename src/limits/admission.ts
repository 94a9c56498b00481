import type { Budget, Limits } from '../domain/limits.ts'
import { asPicodollars, type Picodollars, picodollarsOfUsd } from '../domain/pricing/price.ts'
import type { Period } from './budget-period.ts'
import { type Account, advance, type CallHold, type CallUse, type Scope } from './ledger.ts'
import { correctTokens, countCall, type Second, uncountCall, waitUntilAtMost } from './minute-window.ts'

/** A scope that a call belongs to, with its current limits. */
export interface Bound {
  account: Account
  limits: Limits | null
}

export interface BudgetState {
  scope: Scope
  per: Period
  limit: Picodollars
  spent: Picodollars
  held: Picodollars
  /** Null: never. */
  resetsAt: number | null
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
  /** In this process's memory; shared counters keep theirs elsewhere, under the id. */
  readonly parts: readonly HeldPart[]
  /** The limits could not be checked, and the policy allowed the call. */
  readonly unchecked: boolean
  /** Position of the open row in this node's spool; null until it is written. */
  position: number | null
  settled: boolean
}

interface HeldPart {
  account: Account
  /** The counters of the periods in which it was admitted, even if those have ended. */
  counters: { spent: Picodollars; held: Picodollars }[]
  second: Second
}

export type Decision =
  | { kind: 'admitted'; call: HeldCall; warnings: BudgetState[] }
  | { kind: 'refused'; refusal: Refusal }
  /** The limits cannot be checked now. */
  | { kind: 'unavailable'; reason: string }

/**
 * One decision over all scopes of a call: either all of them admit it, or none changes. Nothing here is asynchronous,
 * so concurrent calls are decided one after the other and cannot exceed a limit together.
 */
export function admitCall(
  bounds: readonly Bound[],
  hold: CallHold,
  id: string,
  now: number,
): Exclude<Decision, { kind: 'unavailable' }> {
  const refusals: Refusal[] = []
  const warnings: BudgetState[] = []
  for (const { account, limits } of bounds) {
    advance(account, now)
    if (limits === null) continue
    const budget = budgetState(account, limits)
    if (budget !== null && !fits(budget, hold.picodollars, limits)) {
      if (limits.budget?.mode === 'soft') warnings.push(budget)
      else refusals.push({ kind: 'budget', ...budget })
    }
    collectRateRefusals(account, limits, hold, now, refusals)
  }
  if (refusals.length > 0) return { kind: 'refused', refusal: tightest(refusals) }
  return { kind: 'admitted', call: heldCall(bounds, hold, id, now), warnings }
}

type BudgetCounter = Pick<BudgetState, 'spent' | 'held' | 'resetsAt'>

/** The state of a scope's budget; null when it has none. */
export function budgetState(
  { scope, counters }: { scope: Scope; counters: Readonly<Record<Period, BudgetCounter>> },
  { budget }: Limits,
): BudgetState | null {
  if (budget === undefined) return null
  const { spent, held, resetsAt } = counters[budget.per]
  return { scope, per: budget.per, limit: limitOf(budget), spent, held, resetsAt }
}

const limitsInPicodollars = new WeakMap<Budget, Picodollars>()

/** Limits are immutable values of the snapshot, so their amounts are parsed once. */
export function limitOf(budget: Budget): Picodollars {
  let limit = limitsInPicodollars.get(budget)
  if (limit === undefined) {
    limit = picodollarsOfUsd(budget.usd)
    limitsInPicodollars.set(budget, limit)
  }
  return limit
}

/** A call of unknown price fits no hard budget; a soft budget warns about it once it is used up. */
export function fits({ limit, spent, held }: BudgetState, hold: Picodollars | null, { budget }: Limits): boolean {
  const isSoft = budget?.mode === 'soft'
  if (hold === null) return isSoft && spent + held < limit
  // What takes nothing exceeds nothing, even after a limit was lowered below what is used. So say all ledgers.
  if (hold === 0n && !isSoft) return true
  return spent + held + hold <= limit
}

function collectRateRefusals(account: Account, limits: Limits, hold: CallHold, now: number, into: Refusal[]): void {
  const { scope, window, inFlight } = account
  const { rpm, tpm, max_parallel: maxParallel } = limits
  if (rpm !== undefined && window.requests + 1 > rpm) {
    const waitMs = waitUntilAtMost(window, 'requests', rpm - 1, now)
    into.push({ kind: 'rpm', scope, limit: rpm, used: window.requests, needed: 1, waitMs })
  }
  if (tpm !== undefined && (hold.tokens === null || (hold.tokens > 0 && window.tokens + hold.tokens > tpm))) {
    const waitMs = hold.tokens === null ? null : waitUntilAtMost(window, 'tokens', tpm - hold.tokens, now)
    into.push({ kind: 'tpm', scope, limit: tpm, used: window.tokens, needed: hold.tokens, waitMs })
  }
  if (maxParallel !== undefined && inFlight + 1 > maxParallel) {
    into.push({ kind: 'max_parallel', scope, limit: maxParallel, used: inFlight, needed: 1, waitMs: 0 })
  }
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

function heldCall(bounds: readonly Bound[], hold: CallHold, id: string, now: number): HeldCall {
  const parts = bounds.map(({ account }): HeldPart => {
    const { day, week, month, total } = account.counters
    const counters = [day, week, month, total]
    if (hold.picodollars !== null) for (const counter of counters) counter.held = plus(counter.held, hold.picodollars)
    account.inFlight += 1
    account.changes += 1
    return { account, counters, second: countCall(account.window, now, hold.tokens ?? 0) }
  })
  return {
    id,
    admittedAt: now,
    hold,
    parts,
    unchecked: false,
    position: null,
    settled: false,
  }
}

/** Takes effect once: releases the hold, keeps what was used. False: it was settled before, and nothing changed. */
export function settleCall(call: HeldCall, use: CallUse, now: number): boolean {
  return end(call, now, ({ account, counters, second }) => {
    if (use.picodollars !== null) for (const counter of counters) counter.spent = plus(counter.spent, use.picodollars)
    correctTokens(account.window, second, use.tokens - (call.hold.tokens ?? 0))
  })
}

/** Reverts an admission completely: nothing was sent and nothing was logged. */
export function releaseCall(call: HeldCall, now: number): boolean {
  return end(call, now, ({ account, second }) => {
    correctTokens(account.window, second, -(call.hold.tokens ?? 0))
    uncountCall(account.window, second)
  })
}

function end(call: HeldCall, now: number, each: (part: HeldPart) => void): boolean {
  if (call.settled) return false
  call.settled = true
  const { picodollars } = call.hold
  for (const part of call.parts) {
    advance(part.account, now)
    if (picodollars !== null) {
      for (const counter of part.counters) counter.held = asPicodollars(counter.held - picodollars)
    }
    part.account.inFlight -= 1
    part.account.changes += 1
    each(part)
  }
  return true
}

function plus(a: Picodollars, b: Picodollars): Picodollars {
  return asPicodollars(a + b)
}
