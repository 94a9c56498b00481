import { GatewayError } from '../domain/errors.ts'
import { hashKey, isValueUsable, type Key, type LiveKey } from '../domain/key.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import type { Call } from '../http/call.ts'
import type { Deps } from './deps.ts'

/**
 * Finds the caller's key. The lookup is by SHA-256, so its duration says nothing about how close a guess was. The reply
 * does not reveal whether a key is missing, unknown, expired or revoked; only the log does. A paused key is reported as
 * such: its holder is known, and would otherwise look for their own mistake.
 */
export function authenticate(
  call: Call,
  endpoint: Pick<Endpoint, 'keyOf'>,
  snapshot: Snapshot,
  deps: Pick<Deps, 'now' | 'noteUse'>,
): LiveKey {
  const found = snapshot.valuesByHash.get(keyHashOf(call, endpoint))
  const now = deps.now()
  if (found === undefined || !isValueUsable(found, now)) {
    throw new GatewayError('unauthorized', 'The gateway key is unknown, expired or revoked.')
  }
  const { key } = found
  if (!isLive(key)) throw new GatewayError('unauthorized', 'Use a gateway key here, not an admin key.')
  if (key.pausedAt !== null) {
    throw new GatewayError('forbidden', `The key '${key.name}' is paused. Ask an operator of the gateway to resume it.`)
  }
  deps.noteUse(found.id, now)
  return key
}

/** Clients send many requests over one connection, all with the same key. */
function keyHashOf(call: Call, endpoint: Pick<Endpoint, 'keyOf'>): string {
  const { kept } = call
  const hash = kept?.keyHash ?? hashKey(endpoint.keyOf(call))
  if (kept !== undefined) kept.keyHash = hash
  return hash
}

function isLive(key: Key): key is LiveKey {
  return key.kind === 'live' && key.workspace !== null
}
