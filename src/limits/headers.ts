import { headerSafe } from '../domain/header-safe.ts'
import type { Limits } from '../domain/limits.ts'
import type { BudgetState } from './admission.ts'
import { budgetText, limitedName, resetText } from './errors.ts'
import type { Payer, SpendLedger } from './spend-ledger.ts'

/** The `x-ratelimit-*` headers that the official clients read; none for a key without such a limit. */
export function addRateHeaders(headers: Record<string, string>, payer: Payer, ledger: SpendLedger): void {
  if (!hasRates(payer.key.limits) && !hasRates(payer.workspace.limits)) return
  const { requests, tokens } = ledger.allowance(payer)
  // Spelled out: building the names at run time would cost every call.
  if (requests !== null) {
    headers['x-ratelimit-limit-requests'] = String(requests.limit)
    headers['x-ratelimit-remaining-requests'] = String(requests.remaining)
    headers['x-ratelimit-reset-requests'] = duration(requests.resetMs)
  }
  if (tokens !== null) {
    headers['x-ratelimit-limit-tokens'] = String(tokens.limit)
    headers['x-ratelimit-remaining-tokens'] = String(tokens.remaining)
    headers['x-ratelimit-reset-tokens'] = duration(tokens.resetMs)
  }
}

function hasRates(limits: Limits | null): boolean {
  return limits?.rpm !== undefined || limits?.tpm !== undefined
}

/** "6m0s", the format that clients read. */
export function duration(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  const minutes = Math.floor(seconds / 60)
  return minutes === 0 ? `${seconds}s` : `${minutes}m${seconds % 60}s`
}

/** The value of `x-gateway-budget-warning`. */
export function warningText(warnings: readonly BudgetState[], nameOf: (scope: BudgetState['scope']) => string): string {
  const texts = warnings.map(
    (state) => `${limitedName(state, nameOf(state.scope))}: ${budgetText(state)}. ${resetText(state.resetsAt)}`,
  )
  return headerSafe(texts.join(' '))
}
