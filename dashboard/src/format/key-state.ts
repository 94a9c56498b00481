/** What a key of either kind says about its life. */
export interface Lifetime {
  expires_at: string | null
  revoked_at: string | null
  /** Of a gateway key: an admin key is never paused. */
  paused_at?: string | null
}

export type KeyState = 'live' | 'expiring' | 'replaced' | 'paused' | 'expired' | 'revoked'

/** So long before its end a key is said to expire soon: time enough to rotate it in peace. */
const SOON_MS = 7 * 86_400_000

export function keyState({ expires_at, revoked_at, paused_at = null }: Lifetime, now: number): KeyState {
  const revoked = revoked_at === null ? null : Date.parse(revoked_at)
  const expires = expires_at === null ? null : Date.parse(expires_at)
  if (revoked !== null && revoked <= now) return 'revoked'
  if (expires !== null && expires <= now) return 'expired'
  if (paused_at !== null) return 'paused'
  // A key that was rotated before keys had values: a successor has been made; until then both work.
  if (revoked !== null) return 'replaced'
  return expires !== null && expires - now < SOON_MS ? 'expiring' : 'live'
}

/** Serves calls now. */
export function works(key: Lifetime, now: number): boolean {
  const state = keyState(key, now)
  return state !== 'revoked' && state !== 'expired' && state !== 'paused'
}

/** Its settings can be changed: nothing brings back a key that was revoked, and its successor has settings of its own. */
export function isChangeable(key: Lifetime & { managed_by: string | null }, now: number): boolean {
  const state = keyState(key, now)
  return key.managed_by === null && state !== 'revoked' && state !== 'replaced'
}
