import { GatewayError } from './errors.ts'
import { isUsable, type LiveKey } from './key.ts'
import type { Snapshot } from './snapshot.ts'

/** Which key: ids are unique, but it must also be of the workspace that was asked for. */
export interface KeyPlace {
  id: string
  workspace: string
}

/** The live key with this id, if a call with it would be let in now; else an error that says why not. */
export function usableKey(snapshot: Snapshot, { id, workspace }: KeyPlace, now: number): LiveKey {
  const key = snapshot.keys.get(id)
  if (key === undefined || key.kind !== 'live' || key.workspace !== workspace) {
    throw new GatewayError('not_found', `There is no key '${id}' in workspace '${workspace}'.`)
  }
  if (isUsable(key, now) && key.pausedAt === null) return { ...key, workspace }
  const isRevoked = key.revokedAt !== null && key.revokedAt <= now
  const why = isRevoked ? 'revoked' : isUsable(key, now) ? 'paused' : 'expired'
  throw new GatewayError('conflict', `The key '${key.name}' is ${why}: no call can be made with it.`)
}
