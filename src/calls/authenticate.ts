import { GatewayError } from '../domain/errors.ts'
import { hashKey, isValueUsable, type Key, type LiveKey } from '../domain/key.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import type { Call } from '../http/call.ts'
import type { Deps } from './deps.ts'

/**
 * The key that the caller sent. It is looked up by its SHA-256: how long a look-up takes then says nothing about how near
 * a guess was. Which of missing, unknown, expired or revoked it is, only the log of the operator needs to know. That it is
 * paused is said: whoever holds a good value is no stranger, and would look for a mistake of their own.
 */
export function authenticate(
  call: Call,
  endpoint: Pick<Endpoint, 'keyOf'>,
  snapshot: Snapshot,
  deps: Pick<Deps, 'now' | 'noteUse'>,
): LiveKey {
  const value = endpoint.keyOf(call)
  const found = snapshot.valuesByHash.get(hashKey(value))
  const now = deps.now()
  if (found === undefined || !isValueUsable(found, now)) {
    throw new GatewayError('unauthorized', 'This gateway key is not known, or it is expired or revoked.')
  }
  const { key } = found
  if (!isLive(key)) throw new GatewayError('unauthorized', 'This takes a gateway key, not an admin key.')
  if (key.pausedAt !== null) {
    throw new GatewayError('forbidden', `The key '${key.name}' is paused: an operator of the gateway can resume it.`)
  }
  deps.noteUse(found.id, now)
  return key
}

function isLive(key: Key): key is LiveKey {
  return key.kind === 'live' && key.workspace !== null
}
