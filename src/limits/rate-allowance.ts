import type { Bound } from './admission.ts'
import { advance } from './ledger.ts'
import { waitUntilEmpty } from './minute-window.ts'

/** What a caller may still use in this minute; the tighter of several scopes. */
export interface RateAllowance {
  limit: number
  remaining: number
  /** Milliseconds until all of it is available again. */
  resetMs: number
}

export function rateAllowance(
  bounds: readonly Bound[],
  kind: 'requests' | 'tokens',
  now: number,
): RateAllowance | null {
  let tightest: RateAllowance | null = null
  for (const { account, limits } of bounds) {
    const limit = kind === 'requests' ? limits?.rpm : limits?.tpm
    if (limit === undefined) continue
    advance(account, now)
    const remaining = Math.max(0, limit - account.window[kind])
    if (tightest !== null && tightest.remaining <= remaining) continue
    tightest = { limit, remaining, resetMs: waitUntilEmpty(account.window, kind, now) }
  }
  return tightest
}
