import { WINDOW_SECONDS } from '../ledger.ts'
import type { RateAllowance } from '../spend-ledger.ts'
import type { LeasedScope } from './leased-scope.ts'

/** What is left of the minute as far as this node knows, the tighter of several scopes. */
export function allowanceOf(
  scopes: readonly LeasedScope[],
  kind: 'requests' | 'tokens',
  now: number,
): RateAllowance | null {
  let tightest: RateAllowance | null = null
  for (const { limits, known, opening, seconds } of scopes) {
    const limit = kind === 'requests' ? limits?.rpm : limits?.tpm
    if (limit === undefined) continue
    let newest = (known?.newestSecond ?? 0) > now / 1000 - WINDOW_SECONDS ? (known?.newestSecond ?? 0) : 0
    let used = newest === 0 ? 0 : (known?.[kind] ?? 0)
    for (const [second, change] of seconds) {
      used += change[kind]
      newest = Math.max(newest, second)
    }
    if (opening[kind] > 0) newest = Math.max(newest, Math.floor(now / 1000))
    used += opening[kind]
    const remaining = Math.min(limit, Math.max(0, limit - used))
    if (tightest !== null && tightest.remaining <= remaining) continue
    const resetMs = used <= 0 ? 0 : Math.max(0, (newest + WINDOW_SECONDS) * 1000 - now)
    tightest = { limit, remaining, resetMs }
  }
  return tightest
}
