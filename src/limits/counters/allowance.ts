import { WINDOW_SECONDS } from '../ledger.ts'
import { type RateAllowance, tighter } from '../spend-ledger.ts'
import type { LeasedScope } from './leased-scope.ts'

/** What is left of the minute as far as this node knows, the tighter of both scopes. */
export function allowanceOf(
  { key, workspace }: { key: LeasedScope; workspace: LeasedScope },
  kind: 'requests' | 'tokens',
  now: number,
): RateAllowance | null {
  return tighter(allowanceIn(key, kind, now), allowanceIn(workspace, kind, now))
}

function allowanceIn(
  { limits, known, opening, seconds }: LeasedScope,
  kind: 'requests' | 'tokens',
  now: number,
): RateAllowance | null {
  const limit = kind === 'requests' ? limits?.rpm : limits?.tpm
  if (limit === undefined) return null
  let newest = (known?.newestSecond ?? 0) > now / 1000 - WINDOW_SECONDS ? (known?.newestSecond ?? 0) : 0
  let used = newest === 0 ? 0 : (known?.[kind] ?? 0)
  for (const [second, change] of seconds) {
    used += change[kind]
    newest = Math.max(newest, second)
  }
  if (opening[kind] > 0) newest = Math.max(newest, Math.floor(now / 1000))
  used += opening[kind]
  const remaining = Math.min(limit, Math.max(0, limit - used))
  const resetMs = used <= 0 ? 0 : Math.max(0, (newest + WINDOW_SECONDS) * 1000 - now)
  return { limit, remaining, resetMs }
}
