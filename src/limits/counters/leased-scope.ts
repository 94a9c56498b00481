import { periodBounds } from '../../domain/budgets/budget-period.ts'
import type { Limits } from '../../domain/limits.ts'
import { asPicodollars } from '../../domain/pricing/price.ts'
import { type BudgetState, sumsOf } from '../admission.ts'
import type { Scope } from '../ledger.ts'
import { nameOf } from './scope-name.ts'

/** For one scope: what this node may use without asking, what it uses, and what it has not reported yet. */
export interface LeasedScope {
  readonly scope: Scope
  readonly name: string
  /** As of the last call. */
  limits: Limits | null
  /** Counts the changes of the limits: what was leased under others is given back and not used. */
  terms: number
  /** Held for running calls. */
  held: bigint
  inFlight: number
  /** Leased but unused. */
  idle: Amounts
  /** Taken out of the idle for calls whose rows are not open yet. */
  opening: { requests: number; tokens: number }
  /** What was spent, by the start of the day of its admission. */
  spent: Map<number, bigint>
  /** Changes of the minute, by the second. */
  seconds: Seconds
  /** Calls that the counters have counted themselves and whose rows are not open yet. */
  counted: Seconds
  /** What calls took since `since`, and how fast that was before. */
  taken: Taken
  rate: Rates
  /** What one call takes, as a moving average. */
  usual: { money: bigint; tokens: number }
  /** Its state at the counters in the latest answer. */
  known: KnownScope | null
  /** What was idle after the last answer. */
  filled: Amounts
  /** Others wait for what is idle here. */
  isRecalled: boolean
  /** The counters grant nothing in advance now: it is nearly used up. */
  isTight: boolean
  usedAt: number
}

/** A call that this node has let through. */
export interface LeasedCall {
  key: LeasedScope
  workspace: LeasedScope
  /** Unix milliseconds. */
  admittedAt: number
  money: bigint | null
  tokens: number | null
  /** The counters have counted it in the minute themselves, when they admitted it. */
  isCounted: boolean
  isOpen: boolean
  /** What to return to the leases at the end: it was taken from them, unless the limits have changed. */
  takenFrom: { money: TakenFrom[]; calls: TakenFrom[] }
}

export interface TakenFrom {
  scope: LeasedScope
  terms: number
}

export type Seconds = Map<number, { requests: number; tokens: number }>

/** What one call needs at most; null: unknown. */
export interface Needed {
  money: bigint | null
  tokens: number | null
}

export interface Amounts {
  money: bigint
  /** Calls at a time. */
  calls: number
  requests: number
  tokens: number
}

interface Taken {
  since: number
  money: bigint
  requests: number
  tokens: number
}

/** A second. */
interface Rates {
  money: number
  requests: number
  tokens: number
}

export interface KnownScope {
  /** Of the budget's period. */
  spent: bigint
  heldByOthers: bigint
  requests: number
  tokens: number
  newestSecond: number
}

export function newLeasedScope(scope: Scope, now: number): LeasedScope {
  return {
    scope,
    name: nameOf(scope),
    limits: null,
    terms: 0,
    held: 0n,
    inFlight: 0,
    idle: nothing(),
    opening: { requests: 0, tokens: 0 },
    spent: new Map(),
    seconds: new Map(),
    counted: new Map(),
    taken: { since: now, money: 0n, requests: 0, tokens: 0 },
    rate: { money: 0, requests: 0, tokens: 0 },
    usual: { money: 0n, tokens: 0 },
    known: null,
    filled: nothing(),
    isRecalled: false,
    isTight: false,
    usedAt: 0,
  }
}

export function nothing(): Amounts {
  return { money: 0n, calls: 0, requests: 0, tokens: 0 }
}

/** What this scope's limits bind: only that is leased. */
export function bindsMoney(limits: Limits | null): boolean {
  return limits?.budget?.mode === 'hard'
}

/** Whether a call can be made from what is idle here. A call of unknown size fits no lease: the counters refuse it. */
export function hasIdle({ limits, idle }: LeasedScope, hold: Needed): boolean {
  if (limits === null) return true
  const { rpm, tpm, max_parallel: parallel } = limits
  if (bindsMoney(limits) && (hold.money === null || idle.money < hold.money)) return false
  if (rpm !== undefined && idle.requests < 1) return false
  if (tpm !== undefined && (hold.tokens === null || idle.tokens < hold.tokens)) return false
  return parallel === undefined || idle.calls >= 1
}

/** A call takes what it needs from what is idle. */
export function take({ limits, idle }: LeasedScope, { money, tokens }: Needed): void {
  if (bindsMoney(limits)) idle.money -= money ?? 0n
  if (limits?.max_parallel !== undefined) idle.calls -= 1
  if (limits?.rpm !== undefined) idle.requests -= 1
  if (limits?.tpm !== undefined) idle.tokens -= tokens ?? 0
}

/** How much calls need, and how often: what is wanted follows from it. */
export function noteUse(scope: LeasedScope, needed: Needed, now: number): void {
  const { taken, usual } = scope
  const [money, tokens] = [needed.money ?? 0n, needed.tokens ?? 0]
  taken.money += money
  taken.requests += 1
  taken.tokens += tokens
  usual.money = usual.money === 0n ? money : (7n * usual.money + money) / 8n
  usual.tokens = usual.tokens === 0 ? tokens : (7 * usual.tokens + tokens) / 8
  scope.usedAt = now
}

/** What a node wants to have idle: two seconds of what it takes, so that a second without the counters stops nothing. */
const AHEAD_SECONDS = 2
/** And two calls at least. */
const LEAST_CALLS = 2
/** A key that is not used gives back what it has: its next call waits once. */
const UNUSED_MS = 3_000
const RATE_MS = 200

export function targetOf({ rate, usual }: LeasedScope): Amounts {
  const money = BigInt(Math.ceil(rate.money * AHEAD_SECONDS))
  const least = BigInt(LEAST_CALLS) * usual.money
  const requests = Math.max(LEAST_CALLS, Math.ceil(rate.requests * AHEAD_SECONDS))
  const tokens = Math.max(LEAST_CALLS * usual.tokens, rate.tokens * AHEAD_SECONDS)
  return { money: money > least ? money : least, calls: requests, requests, tokens: Math.ceil(tokens) }
}

/** It will soon have to wait for the counters: time to ask for more. */
export function isLow({ limits, idle, filled, isTight }: LeasedScope): boolean {
  if (limits === null || isTight) return false
  return (
    (bindsMoney(limits) && 4n * idle.money < filled.money) ||
    (limits.rpm !== undefined && 4 * idle.requests < filled.requests) ||
    (limits.tpm !== undefined && 4 * idle.tokens < filled.tokens) ||
    (limits.max_parallel !== undefined && 4 * idle.calls < filled.calls)
  )
}

/** How fast it is used: rises at once, falls slowly. */
export function measureRate({ taken, rate }: LeasedScope, now: number): void {
  // The clock may have gone back: before the first answer it was this machine's.
  taken.since = Math.min(taken.since, now)
  const passed = now - taken.since
  const isOver = passed >= RATE_MS
  const next = (before: number, sum: number) => {
    const latest = (sum * 1000) / Math.max(passed, RATE_MS)
    return latest > before ? latest : isOver ? (before + latest) / 2 : before
  }
  rate.money = next(rate.money, Number(taken.money))
  rate.requests = next(rate.requests, taken.requests)
  rate.tokens = next(rate.tokens, taken.tokens)
  if (!isOver) return
  Object.assign(taken, { since: now, money: 0n, requests: 0, tokens: 0 })
}

/**
 * What of the idle is not given back with the next message. Given back is all that no limit binds; everything where
 * others wait or nothing is granted in advance; what waiting calls need, so that the counters have it for them; and what
 * is more than twice the target.
 */
export function kept(scope: LeasedScope, needed: Amounts, now: number): Amounts {
  const { limits, idle, isRecalled, isTight, usedAt } = scope
  if (limits === null || isRecalled || isTight || isUnused(usedAt, now)) return nothing()
  const target = targetOf(scope)
  const few = (amount: number, most: number) => Math.max(0, amount > 2 * most ? most : amount)
  const rest = idle.money - needed.money
  const money = rest > 2n * target.money ? target.money : rest
  return {
    money: bindsMoney(limits) && money > 0n ? money : 0n,
    calls: limits.max_parallel === undefined ? 0 : few(idle.calls - needed.calls, target.calls),
    requests: limits.rpm === undefined ? 0 : few(idle.requests - needed.requests, target.requests),
    tokens: limits.tpm === undefined ? 0 : few(idle.tokens - needed.tokens, target.tokens),
  }
}

/** What is asked for besides; the counters grant as much of it as is fair. */
export function wanted(scope: LeasedScope, keeps: Amounts, now: number): Amounts {
  const { limits, usedAt, isRecalled } = scope
  if (limits === null || isRecalled || isUnused(usedAt, now)) return nothing()
  const target = targetOf(scope)
  const more = (amount: number, has: number) => Math.max(0, amount - has)
  const money = target.money > keeps.money ? target.money - keeps.money : 0n
  return {
    money: bindsMoney(limits) ? money : 0n,
    calls: limits.max_parallel === undefined ? 0 : more(target.calls, keeps.calls),
    requests: limits.rpm === undefined ? 0 : more(target.requests, keeps.requests),
    tokens: limits.tpm === undefined ? 0 : more(target.tokens, keeps.tokens),
  }
}

function isUnused(usedAt: number, now: number): boolean {
  return usedAt > now || now - usedAt > UNUSED_MS
}

export function isIdle({ money, calls, requests, tokens }: Amounts): boolean {
  return money > 0n || calls > 0 || requests > 0 || tokens > 0
}

export function addTo(seconds: Seconds, at: number, requests: number, tokens: number): void {
  const second = Math.floor(at / 1000)
  const before = seconds.get(second)
  const sum = { requests: (before?.requests ?? 0) + requests, tokens: (before?.tokens ?? 0) + tokens }
  if (sum.requests === 0 && sum.tokens === 0) seconds.delete(second)
  else seconds.set(second, sum)
}

/** What was spent and is not reported: the counters have it as leased. */
export function unreported({ spent }: LeasedScope): bigint {
  let sum = 0n
  for (const amount of spent.values()) sum += amount
  return sum
}

/** The scope's budget as far as this node knows; null without one. */
export function budgetOf(scope: LeasedScope, now: number): BudgetState | null {
  const { limits, known, held } = scope
  const budget = limits?.budget
  if (budget === undefined) return null
  return {
    scope: scope.scope,
    per: budget.per,
    ...sumsOf(budget, asPicodollars((known?.spent ?? 0n) + unreported(scope))),
    held: asPicodollars(held + (known?.heldByOthers ?? 0n)),
    resetsAt: periodBounds(budget.per, now).resetsAt,
  }
}
