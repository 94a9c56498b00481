import type { Damage } from '../spool/reader.ts'

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
  /** False when the worker is started again while calls are running. */
  closesInterrupted: boolean
  /** Retention and the sums of days: one worker of a gateway does it. */
  keepsHouse: boolean
}

/**
 * `hurry` skips the pause in which records gather: there are enough. `deliver`: a reader waits for all of them, also for
 * beginnings of calls.
 */
export type FoldCommand = 'wake' | 'hurry' | 'deliver' | 'stop'

export type FoldReport =
  | { kind: 'ready'; seq: number; interrupted: number }
  /** Up to `seq` every end is in the log, up to `whole` every record. */
  | { kind: 'folded'; seq: number; whole: number }
  | { kind: 'failed'; message: string }
  | { kind: 'damaged'; damage: Damage }
