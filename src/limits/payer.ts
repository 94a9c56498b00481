import type { Attribution } from '../domain/attribution.ts'
import { unreleased } from '../domain/budgets/corrections.ts'
import type { LiveKey } from '../domain/key.ts'
import type { Limits } from '../domain/limits.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import type { Scope } from './ledger.ts'
import type { Payer } from './spend-ledger.ts'

/** Whose limits apply to a call of this key, with what it names. */
export function payerOf(key: LiveKey, snapshot: Snapshot, attribution?: Attribution): Payer {
  const limits = snapshot.workspaces.get(key.workspace)?.limits ?? null
  const hasMore = key.limits?.budgets !== undefined || limits?.budgets !== undefined
  const names = hasMore ? attribution : undefined
  const payer: Payer & { key: LiveKey } = { key, workspace: { name: key.workspace, limits }, names }
  return snapshot.correctionsEnd === undefined || Date.now() < snapshot.correctionsEnd ? payer : strict(payer)
}

/** The control data is late: a release may belong to a period that is over. */
function strict({ key, workspace, names }: Payer & { key: LiveKey }): Payer {
  const limits: Limits | null = unreleased(key.limits)
  return { key: { ...key, limits }, workspace: { ...workspace, limits: unreleased(workspace.limits) }, names }
}

/** Only the limits of the workspace. */
export function workspacePayer(workspace: string, snapshot: Snapshot): Payer {
  const limits = snapshot.workspaces.get(workspace)?.limits ?? null
  return { key: { id: '', limits: null }, workspace: { name: workspace, limits } }
}

/** Output limit that is sent when neither the caller nor the entry sets one; the key's own comes first. */
export function defaultLimitOf({ key, workspace }: Payer): number | null {
  return key.limits?.max_output_tokens ?? workspace.limits?.max_output_tokens ?? null
}

/** The display name. */
export function scopeName({ kind }: Scope, key: LiveKey): string {
  return kind === 'key' ? `key '${key.name}'` : `workspace '${key.workspace}'`
}

/** Of the key or of its workspace. */
export function hasHardBudget({ key, workspace }: Payer): boolean {
  return isHard(key.limits) || isHard(workspace.limits)
}

function isHard(limits: Limits | null): boolean {
  return limits?.budget?.mode === 'hard' || limits?.budgets?.some(({ mode }) => mode === 'hard') === true
}
