import { asPicodollars, exactUsd } from '../../domain/pricing/price.ts'
import type { BudgetState } from '../../limits/admission.ts'
import { timestampOrNull } from '../contract/fields.ts'

/** How a budget stands, in USD. */
export interface BudgetUse {
  limit_usd: string
  spent_usd: string
  held_usd: string
  remaining_usd: string
  resets_at: string | null
}

export function toBudgetUse({ limit, spent, held, resetsAt }: BudgetState): BudgetUse {
  const left = limit - spent - held
  return {
    limit_usd: exactUsd(limit),
    spent_usd: exactUsd(spent),
    held_usd: exactUsd(held),
    remaining_usd: exactUsd(asPicodollars(left < 0n ? 0n : left)),
    resets_at: timestampOrNull(resetsAt),
  }
}
