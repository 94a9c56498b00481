import { admitCall, type Bound, type HeldCall, releaseCall, settleCall } from './admission.ts'
import {
  type Account,
  type CallHold,
  type CallUse,
  type LoggedScope,
  newAccount,
  type Scope,
  type ScopeStatus,
  statusOf,
} from './ledger.ts'
import { rateAllowance } from './rate-allowance.ts'
import type { Payer, SpendLedger } from './spend-ledger.ts'

/** In this process's memory: every answer is immediate. */
export interface MemoryLedger extends SpendLedger {
  admit(payer: Payer, hold: CallHold, id: string): ReturnType<typeof admitCall>
  settle(call: HeldCall, use: CallUse): boolean
  release(call: HeldCall): boolean
  look(scope: Scope): ScopeStatus
  known(): Iterable<Scope>
}

export function createSpendLedger(clock: () => number, logged: readonly LoggedScope[]): MemoryLedger {
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

  function look(scope: Scope): ScopeStatus {
    const at = now()
    return statusOf(accounts[scope.kind].get(scope.id) ?? newAccount(scope, at), at)
  }

  function* known(): Iterable<Scope> {
    for (const used of Object.values(accounts)) for (const { scope } of used.values()) yield scope
  }

  for (const entry of logged) accounts[entry.scope.kind].set(entry.scope.id, newAccount(entry.scope, now(), entry))

  return {
    isShared: false,
    admit(payer, hold, id) {
      const at = now()
      return admitCall(boundsOf(payer, at), hold, id, at)
    },
    // The open rows are the holds, so there is nobody else to inform.
    opened() {},
    settle: (call, use) => settleCall(call, use, now()),
    release: (call) => releaseCall(call, now()),
    allowance(payer) {
      const at = now()
      const bounds = boundsOf(payer, at)
      return { requests: rateAllowance(bounds, 'requests', at), tokens: rateAllowance(bounds, 'tokens', at) }
    },
    look,
    known,
    status: async (scopes) => scopes.map(look),
    scopes: async () => [...known()],
    leases: async () => [],
    now,
  }
}
