import type { Picodollars } from '../domain/pricing/price.ts'
import type { LoggedScope } from './ledger.ts'

/** A call that is open in the log or has a hold in the shared counters. */
export interface LoggedHold {
  id: string
  node: string
  workspace: string
  keyId: string
  /** Unix milliseconds. */
  startedAt: number
  holdPicodollars: Picodollars | null
  holdTokens: number | null
  /** It may have sent content before its end. */
  isStream: boolean
}

/** The source for rebuilding shared counters, read at one moment. */
export interface LoggedLedger {
  scopes: LoggedScope[]
  open: LoggedHold[]
  /** How far each node's spool has been folded. */
  positions: { node: string; seq: number }[]
}
