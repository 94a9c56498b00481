import type { Picodollars } from '../domain/pricing/price.ts'
import type { LoggedScope } from './ledger.ts'

/** A call that is open in the log, or that shared counters hold money for. */
export interface LoggedHold {
  id: string
  node: string
  workspace: string
  keyId: string
  /** Unix milliseconds. */
  startedAt: number
  holdPicodollars: Picodollars | null
  holdTokens: number | null
}

/** All that shared counters are rebuilt from, read at one moment. */
export interface LoggedLedger {
  scopes: LoggedScope[]
  open: LoggedHold[]
  /** How far each node's spool had been folded. */
  positions: { node: string; seq: number }[]
}
