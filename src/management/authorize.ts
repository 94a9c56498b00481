import { GatewayError } from '../domain/errors.ts'
import { hashKey, isUsable } from '../domain/key.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import type { Call } from '../http/call.ts'

/** Who makes a change, for the audit list. */
export interface Actor {
  /** Id of the admin key, or what else acted: `config`, `environment`. */
  id: string
  name: string
}

/** The admin key behind the bearer token. A live key is known but may not do this: 403 rather than 401. */
export function authorize(call: Call, snapshot: Snapshot, now: number): Actor {
  const token = /^Bearer +(\S+) *$/i.exec(call.header('authorization') ?? '')?.[1]
  const key = token === undefined ? undefined : snapshot.keysByHash.get(hashKey(token))
  if (key === undefined || !isUsable(key, now)) {
    throw new GatewayError('unauthorized', 'Send a valid admin key: "Authorization: Bearer <ADMIN_KEY>".')
  }
  if (key.kind !== 'admin') throw new GatewayError('forbidden', 'This takes an admin key, not a gateway key.')
  return { id: key.id, name: key.name }
}
