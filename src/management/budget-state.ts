import type { Limits } from '../domain/limits.ts'
import { picodollarsOfUsd } from '../domain/pricing/price.ts'
import { shiftOf } from '../limits/admission.ts'
import type { Scope, ScopeStatus } from '../limits/ledger.ts'
import type { Refusals } from '../request-log/usage/refusals.ts'
import { HOUR_MS } from '../request-log/usage/rollup.ts'

/** Calls of a key or workspace that limits refused in the last 24 hours. */
export interface Refused {
  calls: number
  /** The last hour in which this scope's own budget or rate limits did, as far as the sums say. */
  byBudget: number
  byRate: number
}

export const NONE_REFUSED: Refused = { calls: 0, byBudget: 0, byRate: 0 }

export function scopeName({ kind, id }: Scope): string {
  return `${kind} ${id}`
}

/**
 * By scope. The sums say which key was refused, not by whose limit: a key with a limit of that kind is taken at its word,
 * otherwise it was the workspace's.
 */
export function refusedByScope(
  rows: readonly Refusals[],
  limitsOf: (keyId: string) => Limits | null,
): ReadonlyMap<string, Refused> {
  const found = new Map<string, Refused>()
  const add = (scope: Scope, { code, requests, lastHour }: Refusals, isOwn: boolean) => {
    const before = found.get(scopeName(scope)) ?? NONE_REFUSED
    const [byBudget, byRate] = isOwn ? (code === 'budget_exceeded' ? [lastHour, 0] : [0, lastHour]) : [0, 0]
    found.set(scopeName(scope), {
      calls: before.calls + requests,
      byBudget: Math.max(before.byBudget, byBudget),
      byRate: Math.max(before.byRate, byRate),
    })
  }
  for (const row of rows) {
    const { budget, rpm, tpm, max_parallel: parallel } = limitsOf(row.keyId) ?? {}
    const isKeys = row.code === 'budget_exceeded' ? budget?.mode === 'hard' : (rpm ?? tpm ?? parallel) !== undefined
    add({ kind: 'key', id: row.keyId }, row, true)
    add({ kind: 'workspace', id: row.workspace }, row, !isKeys)
  }
  return found
}

/**
 * Of the limit that is used most. Whole numbers throughout: a picodollar decides between near and over. What refuses calls
 * is at least near, however much is left: it does not cover the calls that come.
 */
export function budgetState(
  limits: Limits,
  status: ScopeStatus,
  { byBudget, byRate }: Refused,
  now: number,
): 'ok' | 'near' | 'over' {
  const uses: [used: bigint, limit: bigint][] = []
  const { budget, rpm, tpm, max_parallel: maxParallel } = limits
  if (budget !== undefined) {
    const { spent, held } = status.periods[budget.per]
    uses.push([spent + held + shiftOf(budget), picodollarsOfUsd(budget.usd)])
  }
  if (rpm !== undefined) uses.push([BigInt(status.requestsLastMinute), BigInt(rpm)])
  if (tpm !== undefined) uses.push([BigInt(status.tokensLastMinute), BigInt(tpm)])
  if (maxParallel !== undefined) uses.push([BigInt(status.inFlight), BigInt(maxParallel)])
  if (uses.some(([used, limit]) => used >= limit)) return 'over'
  // A budget recovers with its next period, a rate within the hour.
  const periodStart = budget === undefined ? 0 : status.periods[budget.per].startsAt
  const isRefusing = (byBudget > 0 && byBudget >= periodStart) || byRate > now - 2 * HOUR_MS
  return isRefusing || uses.some(([used, limit]) => used * 100n >= limit * 80n) ? 'near' : 'ok'
}
