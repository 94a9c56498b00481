import { asPicodollars, type Picodollars } from '../domain/pricing/price.ts'
import { newCounters, type Period, type PeriodCounters, rollOver } from './budget-period.ts'
import { expire, type MinuteWindow, newWindow, type Second } from './minute-window.ts'

/** Who is limited. A workspace's id is its name. */
export type Scope = { kind: 'key'; id: string } | { kind: 'workspace'; id: string }

/** What one scope has used and holds now. */
export interface ScopeStatus {
  scope: Scope
  requestsLastMinute: number
  tokensLastMinute: number
  inFlight: number
  periods: Record<Period, { startsAt: number; resetsAt: number | null; spent: Picodollars; held: Picodollars }>
  /** Leased to gateways that share the counters and held by no call: nobody else can use it now. */
  idle: Picodollars
  /** Grows with every admission and every end of a call: equal readings mean that nothing changed in between. */
  changes: number
}

/** What a gateway that shares counters holds for calls or may spend without asking. */
export interface NodeLease {
  node: string
  scopes: { scope: Scope; picodollars: Picodollars }[]
}

/** The most that a call can use. */
export interface CallHold {
  /** Null: unknown, because a model that it may reach has no price or no known length. */
  picodollars: Picodollars | null
  tokens: number | null
  /** It may send content before its end is known. */
  isStream?: boolean
}

/** What a call used in the end; null cost: unknown. */
export interface CallUse {
  picodollars: Picodollars | null
  tokens: number
}

/** What the request log knows of a scope: the source for rebuilding and verifying a ledger. */
export interface LoggedScope {
  scope: Scope
  spent: Record<Period, Picodollars>
  /** Admitted calls of the last minute, by the Unix second of their start. */
  seconds: { second: number; requests: number; tokens: number }[]
  /** Open rows: running calls. */
  inFlight: number
  held: Record<Period, Picodollars>
}

export interface Account {
  readonly scope: Scope
  readonly counters: PeriodCounters
  readonly window: MinuteWindow
  inFlight: number
  changes: number
}

export function newAccount(scope: Scope, now: number, logged?: LoggedScope): Account {
  const window = newWindow()
  for (const { second, requests, tokens } of logged?.seconds ?? []) {
    const known: Second = { second, requests, tokens, expired: false }
    window.seconds.push(known)
    window.requests += requests
    window.tokens += tokens
  }
  const account = { scope, counters: newCounters(now, logged?.spent), window, inFlight: 0, changes: 0 }
  expire(window, now)
  return account
}

/** Moves to now: expired counts are dropped. */
export function advance(account: Account, now: number): void {
  rollOver(account.counters, now)
  expire(account.window, now)
}

export function statusOf(account: Account, now: number): ScopeStatus {
  advance(account, now)
  const { scope, counters, window, inFlight, changes } = account
  return {
    scope,
    requestsLastMinute: window.requests,
    tokensLastMinute: window.tokens,
    inFlight,
    periods: {
      day: { ...counters.day },
      week: { ...counters.week },
      month: { ...counters.month },
      total: { ...counters.total },
    },
    changes,
    idle: asPicodollars(0n),
  }
}
