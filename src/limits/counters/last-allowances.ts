import type { RateAllowance } from '../rate-allowance.ts'
import type { Payer } from '../spend-ledger.ts'

export interface Allowances {
  requests: RateAllowance | null
  tokens: RateAllowance | null
}

/** The last known allowance of each key: headers are written without another request. */
export interface LastAllowances {
  remember(keyId: string, allowances: Allowances): void
  of(payer: Payer): Allowances
}

const MOST_KEYS = 10_000

export function lastAllowances(now: () => number): LastAllowances {
  const known = new Map<string, Allowances & { at: number }>()

  /** Part of the wait has passed since; a limit that changed in the meantime is applied. */
  function asOfNow(last: RateAllowance | null, limit: number | undefined, passedMs: number): RateAllowance | null {
    if (limit === undefined) return null
    if (last === null || last.resetMs <= passedMs) return { limit, remaining: limit, resetMs: 0 }
    return { ...last, resetMs: last.resetMs - passedMs }
  }

  return {
    remember(keyId, { requests, tokens }) {
      if (requests === null && tokens === null) return
      known.delete(keyId)
      known.set(keyId, { requests, tokens, at: now() })
      if (known.size > MOST_KEYS) for (const oldest of known.keys()) return void known.delete(oldest)
    },
    of({ key, workspace }) {
      const last = known.get(key.id)
      const passedMs = last === undefined ? 0 : now() - last.at
      const least = (a: number | undefined, b: number | undefined) =>
        a === undefined || b === undefined ? (a ?? b) : Math.min(a, b)
      return {
        requests: asOfNow(last?.requests ?? null, least(key.limits?.rpm, workspace.limits?.rpm), passedMs),
        tokens: asOfNow(last?.tokens ?? null, least(key.limits?.tpm, workspace.limits?.tpm), passedMs),
      }
    },
  }
}
