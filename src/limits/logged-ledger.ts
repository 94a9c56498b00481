import type { LoggedScope } from './ledger.ts'

/** The source for rebuilding shared counters, read at one moment. */
export interface LoggedLedger {
  scopes: LoggedScope[]
  /** How far each node's spool has been folded. */
  positions: { node: string; seq: number }[]
  /** Calls that have a cost although no spool has their end. */
  left: { id: string }[]
}
