import { GatewayError } from '../domain/errors.ts'
import { hashKey, isValueUsable, type Key, type LiveKey } from '../domain/key.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import type { Call } from '../http/call.ts'
import { paused, unknownKey } from '../tokens/token-callers.ts'
import type { Deps } from './deps.ts'

/**
 * Finds the caller's key. The lookup is by SHA-256, so its duration says nothing about how close a guess was. The reply
 * does not reveal whether a key is missing, unknown, expired or revoked; only the log does. A paused key is reported as
 * such: its holder is known, and would otherwise look for their own mistake. What is no value of a key may be a token of
 * a configured issuer; only the first call with a token waits.
 */
export function authenticate(
  call: Call,
  endpoint: Pick<Endpoint, 'keyOf'>,
  snapshot: Snapshot,
  deps: Pick<Deps, 'now' | 'noteUse' | 'tokenCallers'>,
): LiveKey | Promise<LiveKey> {
  const hash = keyHashOf(call, endpoint)
  const found = snapshot.valuesByHash.get(hash)
  if (found === undefined && snapshot.tokenIssuers !== undefined) {
    return deps.tokenCallers.keyOf(endpoint.keyOf(call), hash, snapshot)
  }
  const now = deps.now()
  if (found === undefined || !isValueUsable(found, now)) throw unknownKey()
  const { key } = found
  if (!isLive(key)) throw new GatewayError('unauthorized', 'Use a gateway key here, not an admin key.')
  if (key.pausedAt !== null) throw paused(key)
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
