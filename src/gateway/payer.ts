import type { Scope } from '../domain/ledger.ts'
import type { Limits } from '../domain/limits.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import type { Payer } from '../domain/spend-ledger.ts'
import type { LiveKey } from './authenticate.ts'

/** Whose limits bind a call of this key. */
export function payerOf(key: LiveKey, snapshot: Snapshot): Payer {
  const limits = snapshot.workspaces.get(key.workspace)?.limits ?? null
  return { key, workspace: { name: key.workspace, limits } }
}

/** As people call it. */
export function scopeName({ kind }: Scope, key: LiveKey): string {
  return kind === 'key' ? `key '${key.name}'` : `workspace '${key.workspace}'`
}

/** Of the key or of its workspace. */
export function hasHardBudget({ key, workspace }: Payer): boolean {
  return isHard(key.limits) || isHard(workspace.limits)
}

export function isHard(limits: Limits | null | undefined): boolean {
  return limits?.budget?.mode === 'hard'
}
