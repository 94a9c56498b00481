import { GatewayError } from '../domain/errors.ts'
import { hashKey, isUsable, type Key } from '../domain/key.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import type { Call } from '../http/call.ts'

/** A live key: it always has a workspace. */
export type LiveKey = Key & { workspace: string }

/**
 * The key behind the bearer token. It is looked up by its SHA-256: how long a look-up takes then says nothing about how
 * near a guess was. Which of missing, unknown, expired or revoked it is, only the log of the operator needs to know.
 */
export function authenticate(call: Call, snapshot: Snapshot, now: number): LiveKey {
  const header = call.header('authorization')
  if (header === undefined) throw new GatewayError('unauthorized')
  const value = /^Bearer +(\S+) *$/i.exec(header)?.[1]
  if (value === undefined) {
    throw new GatewayError('unauthorized', 'Write the header as "Authorization: Bearer <GATEWAY_KEY>".')
  }
  const key = snapshot.keysByHash.get(hashKey(value))
  if (key?.kind === 'admin' && isUsable(key, now)) {
    throw new GatewayError('unauthorized', 'This takes a gateway key, not an admin key.')
  }
  if (key === undefined || !isLive(key) || !isUsable(key, now)) {
    throw new GatewayError('unauthorized', 'This gateway key is not known, or it is expired or revoked.')
  }
  return key
}

function isLive(key: Key): key is LiveKey {
  return key.kind === 'live' && key.workspace !== null
}
