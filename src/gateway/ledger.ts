import { admitCall, type Bound, type Decision, type HeldCall, releaseCall, settleCall } from '../domain/admission.ts'
import {
  type Account,
  type CallHold,
  type CallUse,
  type LoggedScope,
  newAccount,
  type Scope,
  type ScopeStatus,
  statusOf,
} from '../domain/ledger.ts'
import type { Limits } from '../domain/limits.ts'
import { type RateAllowance, rateAllowance } from '../domain/rate-allowance.ts'

/** A key and its workspace, with their limits as of now. */
export interface Payer {
  key: { id: string; limits: Limits | null }
  workspace: { name: string; limits: Limits | null }
}

/**
 * What every key and workspace has used and set aside, limited or not, so that a limit set later acts at once. In the
 * memory of this process; the request log is its only book, and it is rebuilt from there.
 */
export interface SpendLedger {
  admit(payer: Payer, hold: CallHold): Decision
  /** How the call ended; only the first time counts. */
  settle(call: HeldCall, use: CallUse): boolean
  /** The call was not made after all. */
  release(call: HeldCall): boolean
  allowance(payer: Payer): { requests: RateAllowance | null; tokens: RateAllowance | null }
  status(scope: Scope): ScopeStatus
  /** Every scope that has ever been used. */
  scopes(): Iterable<Scope>
  /** Unix milliseconds; never goes back. */
  now(): number
}

export function createSpendLedger(clock: () => number, logged: readonly LoggedScope[]): SpendLedger {
  const accounts: Record<Scope['kind'], Map<string, Account>> = { key: new Map(), workspace: new Map() }
  let latest = clock()

  function now(): number {
    latest = Math.max(latest, clock())
    return latest
  }

  function accountOf(scope: Scope, at: number): Account {
    const known = accounts[scope.kind].get(scope.id)
    if (known !== undefined) return known
    const account = newAccount(scope, at)
    accounts[scope.kind].set(scope.id, account)
    return account
  }

  function boundsOf({ key, workspace }: Payer, at: number): Bound[] {
    return [
      { account: accountOf({ kind: 'key', id: key.id }, at), limits: key.limits },
      { account: accountOf({ kind: 'workspace', id: workspace.name }, at), limits: workspace.limits },
    ]
  }

  for (const entry of logged) accounts[entry.scope.kind].set(entry.scope.id, newAccount(entry.scope, now(), entry))

  return {
    admit(payer, hold) {
      const at = now()
      return admitCall(boundsOf(payer, at), hold, at)
    },
    settle: (call, use) => settleCall(call, use, now()),
    release: (call) => releaseCall(call, now()),
    allowance(payer) {
      const at = now()
      const bounds = boundsOf(payer, at)
      return { requests: rateAllowance(bounds, 'requests', at), tokens: rateAllowance(bounds, 'tokens', at) }
    },
    status(scope) {
      const at = now()
      return statusOf(accounts[scope.kind].get(scope.id) ?? newAccount(scope, at), at)
    },
    *scopes() {
      for (const known of Object.values(accounts)) for (const { scope } of known.values()) yield scope
    },
    now,
  }
}
