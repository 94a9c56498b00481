import type { Picodollars } from '../../domain/pricing/price.ts'
import type { LoggedHold, LoggedLedger } from '../logged-ledger.ts'

/** How a call ended, as the log knows it. */
export interface LoggedEnd {
  costPicodollars: Picodollars
  tokens: number
}

/** What the counters need of the request log. */
export interface RequestLogView {
  /** Resolves when the log has every row of this node's spool. */
  caughtUp(): Promise<void>
  /** 'open' for calls that run as far as the log knows; nothing for those it has not heard of. */
  readEnds(calls: readonly { id: string; startedAt: number }[]): Promise<ReadonlyMap<string, LoggedEnd | 'open'>>
  /** Calls of a dead node that have not ended become interrupted. */
  closeHolds(holds: readonly LoggedHold[], now: number): Promise<void>
  readLedger(now: number): Promise<LoggedLedger>
  /** Whose spool may hold rows that the log does not have, alive or not. */
  runningNodes(): Promise<readonly { node: string; name: string }[]>
}
