import type { PastSpool } from '../past/read-past.ts'
import type { Damage } from '../spool/reader.ts'
import type { Claim } from './claim-spool.ts'

export type FoldTarget = { kind: 'sqlite'; path: string } | { kind: 'postgres'; url: string }

export interface FoldSettings {
  spoolFolder: string
  node: string
  target: FoldTarget
  synchronousFull: boolean
  retentionDays: number | null
  /** No other process can have calls in this database, so every open row is a dead one. */
  onlyProcess: boolean
  /** So long the beginning of a call is left out of the log. */
  openAfterMs: number
  /** For tests: so long records gather, instead of a second. */
  gatherMs?: number | undefined
  /**
   * What earlier processes have left, the gateway's own spool last: it is folded before anything new is, and what is
   * open then was cut off. Null: that is another worker's duty, or done.
   */
  past: readonly PastSpool[] | null
  /** Retention and the sums of days: one worker of a gateway does it. */
  runsHousekeeping: boolean
  /** Of the gateway's own folder; null for SQLite, which is in that folder itself. */
  claim: Claim | null
}

/**
 * `hurry` skips the pause in which records gather: there are enough. `deliver`: a reader waits for all of them, also for
 * beginnings of calls. Nothing is folded before `begin`.
 */
export type FoldCommand = 'begin' | 'wake' | 'hurry' | 'deliver' | 'stop'

/** Commands to the worker, and reports from it. */
export type FoldTasks = { command(command: FoldCommand): void }
export type FoldThreadTasks = { report(report: FoldReport): void }

export type FoldReport =
  | { kind: 'ready'; seq: number; interrupted: number }
  /** Of what earlier processes have left in a spool, everything up to `seq` is in the log. */
  | { kind: 'past'; spool: string; seq: number }
  /** Up to `seq` every end is in the log, up to `whole` every record. */
  | { kind: 'folded'; seq: number; whole: number }
  | { kind: 'failed'; message: string }
  | { kind: 'damaged'; damage: Damage }
