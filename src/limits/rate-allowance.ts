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
    tightest = tighter(tightest, { limit, remaining, resetMs: waitUntilEmpty(account.window, kind, now) })
  }
  return tightest
}

/** On a tie the first, which is the key's own. */
export function tighter(first: RateAllowance | null, second: RateAllowance | null): RateAllowance | null {
  if (first === null || second === null) return first ?? second
  return first.remaining <= second.remaining ? first : second
}
