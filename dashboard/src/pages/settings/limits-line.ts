import type { Limits } from '../../components/limits/limits-form.ts'
import { PER } from '../../format/budget.ts'
import { shortUsd } from '../../format/money.ts'
import { shortCount } from '../../format/number.ts'

/** Limits in one line of a table. */
export function limitsLine(limits: Limits | null): string {
  if (limits === null) return 'none'
  const { rpm, tpm, max_parallel: maxParallel, max_output_tokens: maxOutput, budget } = limits
  const parts = [
    budget && `${shortUsd(budget.usd)} ${PER[budget.per]} (${budget.when_tight === 'fit' ? 'fit' : budget.mode})`,
    rpm && `${shortCount(rpm)} rpm`,
    tpm && `${shortCount(tpm)} tpm`,
    maxParallel && `${shortCount(maxParallel)} at once`,
    maxOutput && `${shortCount(maxOutput)} output`,
  ]
  return parts.filter((part) => part !== undefined && part !== 0).join(' · ') || 'none'
}
