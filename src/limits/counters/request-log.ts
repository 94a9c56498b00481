import type { Picodollars } from '../../domain/pricing/price.ts'
import type { LoggedHold, LoggedLedger } from '../logged-ledger.ts'

/** How a call ended, according to the log. */
export interface LoggedEnd {
  costPicodollars: Picodollars
  tokens: number
  /** It was given up; of a stream, with its hold as its cost. Its true end may still arrive. */
  isInterrupted: boolean
}

/** What the counters need of the request log. */
export interface RequestLogView {
  /** Resolves when the log has every row of this node's spool. */
  caughtUp(): Promise<void>
  /** 'open' for calls that are open in the log; nothing for unknown calls. */
  readEnds(calls: readonly { id: string; startedAt: number }[]): Promise<ReadonlyMap<string, LoggedEnd | 'open'>>
  /** Marks the unfinished calls of a dead node as interrupted. */
  closeHolds(holds: readonly LoggedHold[], now: number): Promise<void>
  readLedger(now: number): Promise<LoggedLedger>
  /** Nodes whose spool may hold rows that the log does not have, alive or not. */
  runningNodes(): Promise<readonly { node: string; name: string }[]>
}
