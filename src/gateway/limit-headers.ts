import type { BudgetState } from '../domain/admission.ts'
import type { RateAllowance } from '../domain/rate-allowance.ts'
import { headerSafe } from './header-safe.ts'
import type { Payer, SpendLedger } from './ledger.ts'
import { budgetText, resetText } from './limit-error.ts'

/** The `x-ratelimit-*` family as the official clients know it; nothing for a key without such a limit. */
export function rateHeaders(payer: Payer, ledger: SpendLedger): Record<string, string> {
  if (!hasRates(payer)) return {}
  const { requests, tokens } = ledger.allowance(payer)
  return { ...headersOf('requests', requests), ...headersOf('tokens', tokens) }
}

function hasRates({ key, workspace }: Payer): boolean {
  return [key.limits, workspace.limits].some((limits) => limits?.rpm !== undefined || limits?.tpm !== undefined)
}

function headersOf(kind: 'requests' | 'tokens', allowance: RateAllowance | null): Record<string, string> {
  if (allowance === null) return {}
  return {
    [`x-ratelimit-limit-${kind}`]: String(allowance.limit),
    [`x-ratelimit-remaining-${kind}`]: String(allowance.remaining),
    [`x-ratelimit-reset-${kind}`]: duration(allowance.resetMs),
  }
}

/** "6m0s", as the clients read it. */
export function duration(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  const minutes = Math.floor(seconds / 60)
  return minutes === 0 ? `${seconds}s` : `${minutes}m${seconds % 60}s`
}

export function warningHeaders(
  warnings: readonly BudgetState[],
  nameOf: (scope: BudgetState['scope']) => string,
): Record<string, string> {
  if (warnings.length === 0) return {}
  const texts = warnings.map((state) => `${nameOf(state.scope)}: ${budgetText(state)}. ${resetText(state.resetsAt)}`)
  return { 'x-gateway-budget-warning': headerSafe(texts.join(' ')) }
}
