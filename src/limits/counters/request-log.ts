import type { LoggedLedger } from '../ledger.ts'
import type { Missed } from './reports.ts'

/** A call of a dead process that has a cost, although its end was never written. */
export type LeftCost = Missed['left'][number]

/** What the counters need of the request log. */
export interface RequestLogView {
  /** Resolves when the log has every row of this node's spool. */
  caughtUp(): Promise<void>
  /** The counters know everything up to here: the spool need not keep it for them. */
  reported(position: number): void
  /** What this node's spool has between two positions; null: it is no longer there. */
  readTail(after: number, upTo: number): Promise<Omit<Missed, 'left'> | null>
  /** Streams that earlier processes of this node left with content sent: all that was held is their cost. */
  readLeft(node: string, now: number): Promise<LeftCost[]>
  /** How far the log has come with the spool of a node: with all of it, and with ends of calls. */
  positionOf(node: string): Promise<{ seq: number; ends: number }>
  readLedger(now: number): Promise<LoggedLedger>
  /** Nodes whose spool may hold rows that the log does not have, alive or not. */
  runningNodes(): Promise<readonly { node: string; name: string }[]>
}
