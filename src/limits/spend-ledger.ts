import type { Limits } from '../domain/limits.ts'
import type { Decision, HeldCall } from './admission.ts'
import type { CallHold, CallUse, Scope, ScopeStatus } from './ledger.ts'
import type { RateAllowance } from './rate-allowance.ts'

/** A key and its workspace, with their limits as of now. */
export interface Payer {
  key: { id: string; limits: Limits | null }
  workspace: { name: string; limits: Limits | null }
}

/**
 * What every key and workspace has used and set aside, limited or not, so that a limit set later acts at once. The
 * request log is its only book, and it is rebuilt from there. In the memory of this process it answers at once; counters
 * that several gateways share are asked over a socket, so whoever calls waits where the answer is a promise, and only there.
 */
export interface SpendLedger {
  /** Other gateways change it as well, and their rows arrive in the log a moment later than what they did here. */
  readonly isShared: boolean
  /** `id` is the request's. */
  admit(payer: Payer, hold: CallHold, id: string): Decision | Promise<Decision>
  /** Its row is open, at this place in the spool of this node; before anything is sent. */
  opened(call: HeldCall, position: number): void
  /**
   * How the call ended; only the first time counts. False: it was not booked, and the caller must not see its answer.
   * `position` is the place of its end in the spool of this node; without it the log does not have one.
   */
  settle(call: HeldCall, use: CallUse, position?: number): boolean | Promise<boolean>
  /** The call was not made after all. */
  release(call: HeldCall): boolean | Promise<boolean>
  allowance(payer: Payer): { requests: RateAllowance | null; tokens: RateAllowance | null }
  /** In the order of the scopes asked for. */
  status(scopes: readonly Scope[]): Promise<ScopeStatus[]>
  /** Every scope that has ever been used. */
  scopes(): Promise<Scope[]>
  /** Unix milliseconds; never goes back. */
  now(): number
}
