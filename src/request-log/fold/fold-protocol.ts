import type { Damage } from '../spool/reader.ts'

export interface FoldSettings {
  spoolFolder: string
  node: string
  target: { kind: 'sqlite'; path: string } | { kind: 'postgres'; url: string }
  synchronousFull: boolean
  retentionDays: number | null
  /** No other process can have calls in this database, so every open row is a dead one. */
  onlyProcess: boolean
  /** False when the worker is started again while calls are running. */
  closesInterrupted: boolean
}

/** `hurry` skips the pause in which records gather: a reader waits for them, or there are enough. */
export type FoldCommand = 'wake' | 'hurry' | 'stop'

export type FoldReport =
  | { kind: 'ready'; seq: number; interrupted: number }
  | { kind: 'folded'; seq: number }
  | { kind: 'failed'; message: string }
  | { kind: 'damaged'; damage: Damage }
