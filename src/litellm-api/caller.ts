import { FULL_ACCESS } from '../domain/access.ts'
import { GatewayError } from '../domain/errors.ts'
import { hashKey, isValueUsable, type LiveKey } from '../domain/key.ts'
import { litellmKey } from '../endpoints/litellm-key.ts'
import type { Call } from '../http/call.ts'
import type { Authorized } from '../management/access/authorize.ts'
import { readLitellmMaster } from '../store/control/litellm-master.ts'
import type { LitellmDeps } from './deps.ts'

export interface Caller extends Authorized {
  /** The gateway key that asks about itself; null: an admin. */
  own: LiveKey | null
  /** LiteLLM's master key, which is an admin and a gateway key at once. */
  isMaster: boolean
}

/** An admin key, the master key, or a gateway key, which may read what is its own. */
export async function callerOf(call: Call, deps: LitellmDeps, allowsAdmin: boolean): Promise<Caller> {
  const now = deps.now()
  const value = litellmKey(call)
  if (value === null) throw new GatewayError('unauthorized', 'No API key was sent. Use "Authorization: Bearer <KEY>".')
  const hash = hashKey(value)
  const { key } = await deps.guard.attempt(deps.sourceOf(call), () => {
    const found = deps.snapshot().valuesByHash.get(hash)
    if (found !== undefined && isValueUsable(found, now)) return found
    throw new GatewayError('unauthorized', 'Authentication Error: the API key is unknown, expired or revoked.')
  })
  const { id, name, access, expiresAt, workspace } = key
  const who = { actor: { id, name }, session: null, expiresAt }
  if (access !== undefined) {
    if (!allowsAdmin) throw new GatewayError('forbidden', 'Use an admin key on the port for administration.')
    return { ...who, access, own: null, isMaster: false }
  }
  if (key.pausedAt !== null || workspace === null) throw new GatewayError('forbidden', 'This key is blocked.')
  if (allowsAdmin && (await readLitellmMaster(deps.db)) === id) {
    return { ...who, access: FULL_ACCESS, own: null, isMaster: true }
  }
  const own = { ...key, workspace }
  return { ...who, access: { role: 'viewer', workspaces: [workspace] }, own, isMaster: false }
}

/** `litellm-changed-by` names the person behind a tool; the audit log shows it with the key's name. */
export function onBehalf({ id, name }: Authorized['actor'], changedBy: string | undefined): Authorized['actor'] {
  const person =
    changedBy
      ?.replace(/[^\x20-\x7e]/g, '')
      .trim()
      .slice(0, 100) ?? ''
  return { id, name: person === '' ? name : `${name} (litellm-changed-by: ${person})` }
}
