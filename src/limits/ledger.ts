import { type Period, periodBounds } from '../domain/budgets/budget-period.ts'
import { asPicodollars, type Picodollars } from '../domain/pricing/price.ts'

/**
 * Requests and tokens of a minute are counted by the second: the current one and the sixty before it. A second that is
 * only partly a minute ago counts in full, so no sixty seconds, wherever they start, exceed a limit.
 */
export const WINDOW_SECONDS = 61

/** Who is limited. A workspace's id is its name. */
export type Scope = { kind: 'key'; id: string } | { kind: 'workspace'; id: string }

/** What one scope has used and holds now. */
export interface ScopeStatus {
  scope: Scope
  requestsLastMinute: number
  tokensLastMinute: number
  inFlight: number
  periods: Record<Period, { startsAt: number; resetsAt: number | null; spent: Picodollars; held: Picodollars }>
  /** Leased to gateways that share the counters but held by no call: unavailable to others. */
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

/** The source for rebuilding shared counters, read at one moment. */
export interface LoggedLedger {
  scopes: LoggedScope[]
  /** How far each node's spool has been folded. */
  positions: { node: string; seq: number }[]
  /** Calls that have a cost although no spool has their end. */
  left: { id: string }[]
}

/** Of a scope that was never used. */
export function emptyStatus(scope: Scope, at: number): ScopeStatus {
  const nothing = asPicodollars(0n)
  const period = (per: Period) => ({ ...periodBounds(per, at), spent: nothing, held: nothing })
  return {
    scope,
    requestsLastMinute: 0,
    tokensLastMinute: 0,
    inFlight: 0,
    periods: { day: period('day'), week: period('week'), month: period('month'), total: period('total') },
    changes: 0,
    idle: nothing,
  }
}
