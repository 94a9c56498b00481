import { GatewayError } from './errors.ts'
import { isUsable, type LiveKey } from './key.ts'
import type { Presence } from './presence.ts'
import type { Snapshot } from './snapshot.ts'

/** Identifies a key: ids are unique, but the key must also belong to this workspace. */
export interface KeyPlace {
  id: string
  workspace: string
}

/** The live key with this id, if a call with it is accepted now; otherwise throws the reason. */
export function usableKey(snapshot: Snapshot, { id, workspace }: KeyPlace, now: number): LiveKey {
  const key = snapshot.keys.get(id)
  if (key === undefined || key.kind !== 'live' || key.workspace !== workspace) {
    throw new GatewayError('not_found', `There is no key '${id}' in workspace '${workspace}'.`)
  }
  if (isUsable(key, now) && key.pausedAt === null) return { ...key, workspace }
  const isRevoked = key.revokedAt !== null && key.revokedAt <= now
  const why = isRevoked ? 'revoked' : isUsable(key, now) ? 'paused' : 'expired'
  throw new GatewayError('conflict', `The key '${key.name}' is ${why} and accepts no calls.`)
}

/** A request on behalf of a key, by a person who may use it without its value. */
export interface TriedChat {
  id: string
  presence: Presence
  key: KeyPlace
  /** The name of the endpoint. */
  endpoint: string
  /** The caller's body, parsed. */
  body: unknown
  idempotencyKey: string | undefined
}
