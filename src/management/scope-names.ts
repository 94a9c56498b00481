import type { Snapshot } from '../domain/snapshot.ts'
import type { Scope } from '../limits/ledger.ts'

/** As people know it, where it still exists. */
export function scopeNames({ keys, workspaces }: Snapshot) {
  return ({ kind, id }: Scope) => {
    const key = kind === 'key' ? keys.get(id) : undefined
    const workspace = kind === 'workspace' && workspaces.has(id) ? id : (key?.workspace ?? null)
    return { scope: kind, id, name: kind === 'workspace' ? workspace : (key?.name ?? null), workspace }
  }
}
